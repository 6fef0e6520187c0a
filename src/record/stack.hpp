// Reads frames of a stack by their frame pointers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heapsmith::recorder {

/// Part of a thread's stack. All between the stack pointer and `to` is mapped while the stack
/// pointer is at or above `from`.
struct stack_bounds {
  std::uintptr_t from, to;  // both zero: not known
};

/// Returns: the stack of this thread, which has `bytes` bytes with a guard of `guard` bytes.
/// Requires: libc has started the thread.
stack_bounds stack_of_this_thread(std::size_t bytes, std::size_t guard);

/// Effects: asks once for the most that the stack of the main thread may have.
void learn_main_stack();

/// Words of this thread's stack, read so that an address that cannot be read is no fault.
class stack_reader {
 public:
  /// `own` may be unknown, or the bounds of a stack that the thread has left: a coroutine's stack,
  /// or one of signals, is another one.
  stack_reader(std::uintptr_t stack_pointer, stack_bounds own);

  /// Returns: whether the two words at `frame`, a frame's link and its return address, were read.
  bool read(std::uintptr_t frame, std::uintptr_t (&words)[2]);

 private:
  static constexpr std::uintptr_t page = 4096;  // or a part of one
  std::uintptr_t from_, to_ = 0;                // what is mapped for sure
  std::uintptr_t readable_ = 0;                 // the page that was read last
};

}  // namespace heapsmith::recorder
