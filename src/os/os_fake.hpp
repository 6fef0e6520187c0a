// An OS that refuses: tests say which of its calls fail, and ask which did.
#pragma once

#include <cstddef>

namespace heapsmith::os::fake {

/// The calls of os.hpp that may fail, or whose effect an OS may leave out.
enum class call : unsigned char {
  find_hole,
  map_at,
  decommit,
  map,
  unmap,
  remap,
  populate,
  map_fork_detector
};
inline constexpr std::size_t call_kinds = 8;

/// The n-th of these calls from now on fails (n = 1, 2, …), and with `forever` all that follow it.
/// A process started with HEAPSMITH_FAKE_FAIL=n (or n+ for ever) begins with that plan.
void fail(std::size_t nth, bool forever);

/// Every call of this kind fails from now on, and no other.
void fail_each(call kind);

void fail_no_more();

/// Called for each advice about huge pages, which does not reach the kernel.
void watch_advice(void (*watch)(char* p, std::size_t bytes, bool wanted));

/// How many calls were refused since the last fail() or fail_each().
std::size_t refused();

/// Whether a call of this kind was ever refused in this process.
bool was_refused(call kind);

}  // namespace heapsmith::os::fake
