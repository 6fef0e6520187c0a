// The contender that a program is linked with, as its workloads see it: a few functions.
//
// The workloads are compiled once, and the same code runs on every contender. If they were compiled
// with each contender, the size of its code would decide what the compiler inlines into a loop and
// how it aligns the loop. Both can cost more than an allocator does.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace bench {

// Defined by each header of contenders/.
class contender;

struct contender_facts {
  const char* name;
  bool uses_buffer;     // gets all its memory from the buffer; if not, learns how much it needs
  bool is_thread_safe;  // several threads may call it
};

extern const contender_facts facts;
std::string version();

struct contender_end {
  void operator()(contender* ended) const;
};
using contender_handle = std::unique_ptr<contender, contender_end>;

contender_handle make_contender(std::span<std::byte> buffer);

// Returns: a block, or null.
void* allocate_from(contender& from, std::size_t bytes);
void deallocate_to(contender& to, void* block, std::size_t bytes);
// Between repetitions, when no block is live, a contender may start from scratch.
void renew(contender& renewed);

}  // namespace bench
