// The events of one thread on their way into a block: what every recorded call does.
#pragma once

#include <errno.h>
#include <pthread.h>

#include <cstdint>

#include "watch/record/clock.hpp"
#include "watch/record/format.hpp"
#include "watch/record/recording.hpp"

namespace heapsmith::recorder {

/// The state of a thread's recording. It starts as zeros.
struct stream {
  unsigned char* at;             // where the next event goes; null: no block
  unsigned char* end;            // an event may begin before it, because the largest still fits
  block_header* block;           // that the events go to
  recording* of;                 // whose block that is
  std::uint64_t tick;            // of the last event
  std::uintptr_t made;           // the address allocated last, divided by address_unit
  std::uintptr_t ended;          // the address freed last
  std::uintptr_t caller;         // written last
  const void* inside;            // the frame of the recorded call that is under way
  std::uintptr_t inside_caller;  // the return address in that frame
  std::int64_t unsampled;        // bytes until the next sampled stack
  std::uint32_t number;          // of the thread, from 1; 0: none yet
  std::uint32_t retry;           // events to drop until a block is asked for again
  bool is_writing;               // an event is being written; a signal handler's are dropped
  bool calls_itself;  // the recorder calls libc, which may allocate: not the program's calls
  bool has_ended;     // the thread's destructor has run
  std::uint64_t random;
  std::uintptr_t callers[caller_slots];
};

inline constexpr std::uintptr_t address_unit = 8;
/// No event is longer: two stacks, sampled and of a new caller, of 32 frames of 10 bytes; a caller,
/// and four numbers of 10 bytes.
inline constexpr std::size_t longest_event = 1024;
static_assert(longest_event > (2 * most_frames + 5) * 10 + 32);

extern thread_local constinit stream here __attribute__((tls_model("initial-exec")));

/// Effects: makes room for an event. Returns: whether it can be written.
bool make_room(stream& s);

/// Effects: gives the block of a stream whose thread has ended to another thread.
void give_back(stream& s);

/// Effects: closes the block of a recording that has ended, or forgets that of a parent process.
void leave(stream& s);

/// Effects: notes a caller that is not in its slot, and its stack if it is new to this process.
void note_caller(stream& s, std::uintptr_t caller, unsigned slot);

/// Effects: writes the stack from `frame` on as an event that belongs to the next one.
void write_stack(stream& s, std::uintptr_t caller);

/// Effects: draws how many bytes pass until the next sample.
void draw_sample(stream& s);

/// While it lives, the recorder calls libc. Keeps errno, and the thread: malloc is no point at
/// which a thread may be cancelled, and open is one.
class own_calls {
 public:
  explicit own_calls(stream& s) : s_(s), error_(errno), outer_(s.calls_itself) {
    s_.calls_itself = true;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_);
  }
  ~own_calls() {
    int now;
    pthread_setcancelstate(cancel_, &now);
    s_.calls_itself = outer_;
    errno = error_;
  }
  own_calls(const own_calls&) = delete;
  own_calls& operator=(const own_calls&) = delete;

 private:
  stream& s_;
  int error_;
  int cancel_ = 0;
  bool outer_;
};

inline void put_byte(stream& s, std::uint64_t b) {
  *s.at++ = static_cast<unsigned char>(b);
}

inline void put_control(stream& s, control what) {
  put_byte(s, static_cast<unsigned>(op::control) | static_cast<unsigned>(what) << 4);
}

/// Seven bits a byte, the lowest first; all bytes but the last have the highest bit set.
inline void put_number(stream& s, std::uint64_t n) {
  for (; n >= 128; n >>= 7) put_byte(s, n | 128);
  put_byte(s, n);
}

/// The difference of two numbers, whose sign is its lowest bit.
inline void put_difference(stream& s, std::uint64_t to, std::uint64_t from) {
  const auto d = static_cast<std::int64_t>(to - from);
  put_number(s, static_cast<std::uint64_t>(d) << 1 ^ static_cast<std::uint64_t>(d >> 63));
}

/// The first byte, the time, and the caller.
inline void put_head(stream& s, op what, std::uint64_t tick, std::uintptr_t caller) {
  // A stamp may lie before the last one: the clock is read before a call and after it.
  const std::uint64_t passed = tick > s.tick ? tick - s.tick : 0;
  s.tick += passed;
  const unsigned slot = static_cast<std::uint32_t>(caller * 0x9E3779B1u) >> 24;
  if (s.callers[slot] != caller) [[unlikely]]
    note_caller(s, caller, slot);
  if (passed < 15) [[likely]] {
    put_byte(s, static_cast<unsigned>(what) | passed << 4);
  } else {
    put_byte(s, static_cast<unsigned>(what) | 15u << 4);
    put_number(s, passed);
  }
  put_byte(s, slot);
}

inline void put_made(stream& s, const void* p) {
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(p) / address_unit;
  put_difference(s, at, s.made);
  s.made = at;
}

inline void put_ended(stream& s, const void* p) {
  const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(p) / address_unit;
  put_difference(s, at, s.ended);
  s.ended = at;
}

/// Room for one event, while this object lives. False if the event is lost, which is counted.
class writing {
 public:
  explicit writing(stream& s) : s_(s) {
    if (s.is_writing) [[unlikely]] {
      count_drop();
      return;
    }
    s.is_writing = true;
    // Neither the compiler nor a signal handler may see the event before the mark.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    // relaxed: only the address is compared. This thread has written into the recording before,
    // so it sees what is in it.
    const bool fits = s.at < s.end && mark.current.load(relaxed) == s.of;
    if (fits || make_room(s)) [[likely]]
      is_open_ = true;
    else
      s.is_writing = false;
  }
  ~writing() {
    if (!is_open_) return;
    // release: a reader of the file finds, after kill -9, the event's bytes below this mark. With
    // relaxed, the compiler could move them behind it.
    s_.block->used.store(
        static_cast<std::uint32_t>(s_.at - reinterpret_cast<unsigned char*>(s_.block)), release);
    if (s_.has_ended) [[unlikely]]
      give_back(s_);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    s_.is_writing = false;
  }
  writing(const writing&) = delete;
  writing& operator=(const writing&) = delete;
  explicit operator bool() const { return is_open_; }

 private:
  stream& s_;
  bool is_open_ = false;
};

}  // namespace heapsmith::recorder
