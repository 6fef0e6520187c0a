// How much the recorder may ask of the kernel. A program may lock itself in: into another root, as
// another user, behind a filter of system calls. The recorder maps blocks of its file before.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace heapsmith::recorder {

enum class confinement : std::uint32_t {
  none,
  jailed,    // no path leads to the file any more, or another one than before
  filtered,  // a system call may kill the process
};

/// The confinement of this process. It grows only.
extern constinit atomic<std::uint32_t> confined;

inline bool is_confined_to(confinement least) {
  // acquire pairs with become_confined(): the reserve that replaces the path is there.
  return confined.load(acquire) >= static_cast<std::uint32_t>(least);
}

/// While it lives, this thread may call the kernel, as far as the two functions say. A filter is
/// not installed meanwhile.
class kernel_calls {
 public:
  kernel_calls();
  ~kernel_calls();
  kernel_calls(const kernel_calls&) = delete;
  kernel_calls& operator=(const kernel_calls&) = delete;

  bool may_open() const { return level_ == confinement::none; }
  bool may_call() const { return level_ != confinement::filtered; }

 private:
  confinement level_;
};

/// Effects: from now on the process is confined. Waits until no other thread is within a kernel
/// call that `to` forbids. Requires: the reserve is there.
void become_confined(confinement to);

/// Effects: in a forked process: no thread of it is within a call.
void forget_kernel_calls();

/// Effects: looks whether a filter of system calls stands already. The calls for it are those that
/// the dynamic linker makes, too.
void look_for_filter();

/// Returns: whether calls may be made that allocators and the dynamic linker do not make.
bool may_make_unusual_calls();

}  // namespace heapsmith::recorder
