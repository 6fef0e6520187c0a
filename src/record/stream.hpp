// The events of one thread on their way into a block: what every recorded call does.
#pragma once

#include <cstdint>

#include "record/clock.hpp"
#include "record/file.hpp"
#include "record/format.hpp"
#include "record/stack.hpp"

namespace heapsmith::recorder {

/// The next event of a block is written as differences to these. They start as zeros, and lie in
/// the last bytes of the block, as thread-local storage is scarce in libraries that a running
/// program loads.
struct history {
  std::uintptr_t callers[caller_slots];
  std::uintptr_t made[size_slots];     // by size, the address allocated last, in units
  std::uintptr_t ended[caller_slots];  // by caller, the address freed last
  unsigned char next[caller_slots];    // by slot, the slot that came last behind it
  unsigned char slot;                  // of the last event
};
inline constexpr std::size_t event_bytes = block_bytes - sizeof(history);  // and the header
static_assert(sizeof(history) < block_bytes / 8);

/// The state of a thread's recording. It starts as zeros.
struct stream {
  unsigned char* at;             // where the next event goes; null: no block
  unsigned char* end;            // an event may begin before it, because the largest still fits
  block_header* block;           // that the events go to
  history* last;                 // behind the events in the block
  std::uint64_t tick;            // of the last event
  std::uintptr_t caller;         // written last
  const void* inside;            // the frame of the recorded call that is under way
  std::uintptr_t inside_caller;  // the return address in that frame
  std::int64_t unsampled;        // bytes until the next sampled stack
  std::uint32_t number;          // of the thread, from 1; 0: none yet
  std::uint32_t retry;           // events to drop until a block is asked for again
  std::uint32_t start;           // the number of the record of its start; 0: nobody recorded it
  std::uint32_t unstamped;       // events that take the time of the last one
  bool is_writing;               // an event is being written; a signal handler's are dropped
  bool calls_itself;  // the recorder calls libc, which may allocate: not the program's calls
  bool has_ended;     // the thread's destructor has run
  std::uint64_t random;
  std::uint32_t file;  // the number of the file that the block belongs to; 0: none yet
  std::uint32_t tid;   // of the thread; 0: not asked yet
  stack_bounds stack;  // of the thread, if they are known
};
// dlopen finds room for some 1.6 KiB of all libraries' variables in the threads of a process.
static_assert(sizeof(stream) <= 256);

inline unsigned slot_of(std::uintptr_t caller) {
  return static_cast<std::uint32_t>(caller * 0x9E3779B1u) >> 24;
}

inline constexpr std::uintptr_t address_unit = 8;
/// Of a stack: a frame in the file of the one before it takes 3 or 4, and recursion fewer.
inline constexpr std::size_t stack_bytes = 1900;
/// No event is longer: a stack, a caller, the memory, and four numbers of 10 bytes.
inline constexpr std::size_t longest_event = 2048;
static_assert(longest_event > stack_bytes + 6 * 10 + 32);

extern thread_local constinit stream here __attribute__((tls_model("initial-exec")));

inline constexpr std::uint32_t events_a_stamp = 8;
inline constexpr std::uint64_t fast_ticks = 256;  // 4 to 8 microseconds

/// While it lives, the recorder calls libc. Keeps errno, and the thread: malloc is no point at
/// which a thread may be cancelled, and open is one.
class own_calls {
 public:
  explicit own_calls(stream& s);
  ~own_calls();
  own_calls(const own_calls&) = delete;
  own_calls& operator=(const own_calls&) = delete;

 private:
  stream& s_;
  int error_;
  int cancel_ = 0;
  bool outer_;
};

/// Effects: makes room for an event. Returns: whether it can be written.
bool make_room(stream& s);

/// Effects: gives the block of a stream whose thread has ended to another thread.
void give_back(stream& s);

/// Effects: draws how many bytes pass until the next sample.
void draw_sample(stream& s);

/// The functions below write at `at`, and return where the next byte goes.

/// Effects: notes a caller that is not in its slot, and its stack if it is new to this process.
unsigned char* note_caller(stream& s, std::uintptr_t caller, unsigned slot, unsigned char* at);

/// Effects: writes the stack from this frame on, of at most stack_bytes bytes, as an event that
/// belongs to the next one. If it has no end within most_frames or these bytes, it ends in
/// cut_frame.
unsigned char* write_stack(stream& s, std::uintptr_t caller, unsigned char* at);

inline unsigned char* put_byte(unsigned char* at, std::uint64_t b) {
  *at = static_cast<unsigned char>(b);
  return at + 1;
}

inline unsigned char* put_control(unsigned char* at, control what) {
  return put_byte(at, static_cast<unsigned>(op::control) | static_cast<unsigned>(what) << 4);
}

/// Seven bits a byte, the lowest first; all bytes but the last have the highest bit set.
inline unsigned char* put_number(unsigned char* at, std::uint64_t n) {
  for (; n >= 128; n >>= 7) at = put_byte(at, n | 128);
  return put_byte(at, n);
}

/// The difference of two numbers, whose sign is its lowest bit. The lengths of differences follow
/// no pattern, so the common ones are written without a branch.
inline unsigned char* put_difference(unsigned char* at, std::uint64_t to, std::uint64_t from) {
  const auto d = static_cast<std::int64_t>(to - from);
  const std::uint64_t n = static_cast<std::uint64_t>(d) << 1 ^ static_cast<std::uint64_t>(d >> 63);
  if (n >> 28 != 0) [[unlikely]]
    return put_number(at, n);
  auto bytes = static_cast<std::uint32_t>(n);  // of which 28 bits become four times seven
  bytes = (bytes & 0x3FFF) | (bytes & 0xFFFC000) << 2;
  bytes = (bytes & 0x7F007F) | (bytes & 0x3F803F80) << 1;
  const unsigned highest = 31u - static_cast<unsigned>(__builtin_clz(static_cast<unsigned>(n) | 1));
  const unsigned more = highest * 37 >> 8;  // highest / 7
  bytes |= 0x80808080u & ((1u << 8 * more) - 1);
  __builtin_memcpy(at, &bytes, sizeof bytes);
  return at + more + 1;
}

/// Returns: the ticks since the last event, which is the time of this one.
inline std::uint64_t stamp(stream& s) {
  if (s.unstamped != 0) {
    --s.unstamped;
    return 0;
  }
  const std::uint64_t now = tick_now();
  // A stamp may lie before the last one: the clock is read before a call and after it.
  const std::uint64_t passed = now > s.tick ? now - s.tick : 0;
  s.tick += passed;
  // relaxed: the thread that starts a second one sees what it stored itself.
  if (passed < fast_ticks && is_alone.load(relaxed)) s.unstamped = events_a_stamp - 1;
  return passed;
}

/// The first byte, the time, and the caller: its slot, unless that is the one that came behind the
/// last event's slot before.
inline unsigned char* put_head(stream& s, unsigned char* at, op what, std::uint64_t passed,
                               std::uintptr_t caller) {
  history& last = *s.last;
  const unsigned slot = slot_of(caller);
  if (last.callers[slot] != caller) [[unlikely]]
    at = note_caller(s, caller, slot, at);
  unsigned char& expected = last.next[last.slot];
  const bool is_expected = expected == slot;
  expected = last.slot = static_cast<unsigned char>(slot);
  const unsigned first = static_cast<unsigned>(what) | (is_expected ? expected_flag : 0);
  if (passed < ticks_follow) [[likely]] {
    at = put_byte(at, first | passed << 4);
  } else {
    at = put_byte(at, first | ticks_follow << 4);
    at = put_number(at, passed);
  }
  put_byte(at, slot);
  return at + (is_expected ? 0 : 1);  // without a branch: which is the case follows no pattern
}

/// Blocks of a size often lie near each other.
inline unsigned char* put_made(stream& s, unsigned char* at, const void* p, std::size_t bytes) {
  std::uintptr_t& last = s.last->made[bytes / 16 % size_slots];
  const std::uintptr_t from = last;
  last = reinterpret_cast<std::uintptr_t>(p) / address_unit;
  return put_difference(at, last, from);
}

/// So do blocks that one caller frees.
inline unsigned char* put_ended(stream& s, unsigned char* at, const void* p,
                                std::uintptr_t caller) {
  std::uintptr_t& last = s.last->ended[slot_of(caller)];
  const std::uintptr_t from = last;
  last = reinterpret_cast<std::uintptr_t>(p) / address_unit;
  return put_difference(at, last, from);
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
    // relaxed: this thread made the file, or another one whose header open_file() then sees.
    const bool fits = s.at < s.end && mark.file.load(relaxed) == s.file;
    if (fits || make_room(s)) [[likely]]
      at = s.at;
    else
      s.is_writing = false;
  }
  ~writing() {
    if (at == nullptr) return;
    s_.at = at;
    // release: a reader of the file finds, after kill -9, the event's bytes below this mark. With
    // relaxed, the compiler could move them behind it.
    s_.block->used.store(
        static_cast<std::uint32_t>(at - reinterpret_cast<unsigned char*>(s_.block)), release);
    if (s_.has_ended) [[unlikely]]
      give_back(s_);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    s_.is_writing = false;
  }
  writing(const writing&) = delete;
  writing& operator=(const writing&) = delete;
  explicit operator bool() const { return at != nullptr; }

  unsigned char* at = nullptr;  // where the next byte of the event goes

 private:
  stream& s_;
};

}  // namespace heapsmith::recorder
