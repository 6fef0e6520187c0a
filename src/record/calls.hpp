// Records one call: the sources of lab/recorder do this around the next allocator's functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/stream.hpp"

namespace heapsmith::recorder {

#define HS_CALLER reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))

/// Returns: whether this thread's calls are recorded now. They are not while the recorder calls
/// libc, nor within a recorded call: the program does not call the malloc within operator new. A
/// frame that an exception or longjmp has left does not count: the stack has shrunk past it, or
/// other frames lie where it was.
[[gnu::always_inline]] inline bool is_recorded(stream& s) {
  if (s.inside == nullptr) [[likely]]
    return !s.calls_itself;
  if (s.calls_itself) return false;
  // In frames deeper than that one, its memory belongs to the stack, and can be read.
  const bool is_deeper = __builtin_frame_address(0) < s.inside;
  if (is_deeper && static_cast<const std::uintptr_t*>(s.inside)[1] == s.inside_caller) return false;
  s.inside = nullptr;
  return true;
}

/// Effects: notes the frame of the recorded call, which has a frame pointer and behind it its
/// return address.
[[gnu::always_inline]] inline void enter(stream& s) {
  s.inside = __builtin_frame_address(0);
  s.inside_caller = HS_CALLER;
}

/// While it lives, nested calls are not recorded.
class within {
 public:
  [[gnu::always_inline]] explicit within(stream& s) : s_(s) { enter(s); }
  [[gnu::always_inline]] ~within() { s_.inside = nullptr; }
  within(const within&) = delete;
  within& operator=(const within&) = delete;

 private:
  stream& s_;
};

/// Effects: records that `p` of `bytes` bytes was allocated, or that the call failed.
void record_made(op what, api which, const void* p, std::size_t bytes, std::size_t align,
                 std::uintptr_t caller);
/// Effects: records that `p` is about to be freed.
void record_ended(op what, const void* p, std::uintptr_t caller);
/// Effects: records a realloc. `before` is the tick before the call.
void record_realloc(const void* old, const void* p, std::size_t bytes, std::uint64_t before,
                    std::uintptr_t caller);
void record_usable_size(const void* p, std::uintptr_t caller);
/// Effects: records that this thread is about to start another one. Returns: the number of this
/// record, or 0 if it was lost.
std::uint32_t record_start();

/// Effects: at the end of a recording: notes how much of each watched block is in memory, as long
/// as there is room. The blocks are watched no longer.
void note_all_resident();

}  // namespace heapsmith::recorder
