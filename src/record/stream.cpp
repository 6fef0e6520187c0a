// The seldom part of a stream: blocks, threads that begin and end, new callers, sampled stacks.
#include "record/stream.hpp"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <bit>
#include <cstring>

#include "record/confine.hpp"
#include "record/resident.hpp"

namespace heapsmith::recorder {

thread_local constinit stream here = {};

namespace {

// Blocks of threads that have ended, for those that begin. So threads that come and go share
// blocks.
constexpr unsigned most_spare = 16;
constinit atomic<block_header*> spare[most_spare] = {};
constinit pthread_key_t at_thread_end = 0;
constinit atomic<int> key_state{0};  // 0 none, 1 being made, 2 there

// One bit for each caller of this process, by its hash: whether it was seen before.
constinit atomic<std::uint64_t> seen_callers[64] = {};

constexpr std::int64_t bytes_a_sample = 512 * 1024;
constexpr std::uint32_t events_until_retry = 4096;
constexpr std::uintptr_t deepest_stack = std::uintptr_t{256} << 20;  // of which frames are read

void end_thread(void*) {
  stream& s = here;
  s.has_ended = true;
  if (s.at == nullptr) return;
  writing event(s);  // and gives the block back
  if (!event) return;
  s.unstamped = 0;
  event.at = put_number(put_control(event.at, control::end), stamp(s));
}

void watch_end_of_thread() {
  int state = 0;
  // acquire and release: a thread that sees 2 sees the key. While another thread makes it, this one
  // is not watched: its block stays its own.
  if (key_state.load(acquire) == 0 && key_state.compare_exchange_strong(state, 1, acquire)) {
    if (pthread_key_create(&at_thread_end, end_thread) == 0) key_state.store(2, release);
  }
  if (key_state.load(acquire) == 2) pthread_setspecific(at_thread_end, &here);
}

/// Effects: now and then, notes the clocks and the memory of the process.
unsigned char* note_time(stream& s, unsigned char* at) {
  if (!note_clocks(s.tick)) return at;
  const kernel_calls calls;
  if (!calls.may_open()) return at;
  const own_calls mine(s);
  const std::uint64_t bytes = anonymous_bytes();
  return bytes == 0 ? at : put_number(put_control(at, control::memory), bytes);
}

/// Returns: the thread's id, or 0 for a thread that began behind a filter.
std::uint32_t thread_id(stream& s) {
  const kernel_calls calls;
  if (s.tid == 0 && calls.may_call()) s.tid = static_cast<std::uint32_t>(gettid());
  return s.tid;
}

/// Effects: begins the part of a block that belongs to this thread.
void put_thread(stream& s) {
  s.tick = tick_now();
  s.unstamped = 0;
  unsigned char* at = put_control(s.at, control::thread);
  at = put_number(at, s.number);
  at = put_number(at, thread_id(s));
  at = put_number(at, s.tick);
  at = put_number(at, s.start);
  s.caller = 0;
  memset(s.last, 0, sizeof *s.last);
  s.at = note_time(s, at);
}

void forget_block(stream& s) {
  s.at = s.end = nullptr;
  s.block = nullptr;
}

/// Effects: begins with another file: in a forked process, or in a recording that follows another.
void begin_again(stream& s, std::uint32_t file) {
  if (s.block != nullptr) unmap_block(s.block);
  forget_block(s);
  if (s.file != 0) s.number = s.start = s.tid = 0;
  s.retry = 0;
  s.file = file;
}

block_header* pop_spare() {
  for (auto& each : spare) {  // most_spare
    // acquire pairs with give_back(): the bytes of the thread that ended are written. The first
    // load, relaxed, saves the exchange where there is nothing.
    if (each.load(relaxed) == nullptr) continue;
    if (block_header* b = each.exchange(nullptr, acquire)) return b;
  }
  return nullptr;
}

/// Effects: the next events go to `b`.
void use_block(stream& s, block_header* b) {
  s.block = b;
  s.at = reinterpret_cast<unsigned char*>(b) + b->used.load(relaxed);  // relaxed: see pop_spare()
  s.end = reinterpret_cast<unsigned char*>(b) + event_bytes - longest_event;
  s.last = reinterpret_cast<history*>(reinterpret_cast<unsigned char*>(b) + event_bytes);
  put_thread(s);
}

bool begin(stream& s) {
  const bool is_new = s.number == 0;
  // relaxed: only the number matters
  if (is_new) {
    s.number = header().threads.fetch_add(1, relaxed) + 1;
    // A thread that nobody was seen to start. Until the first one notices, at most events_a_stamp
    // of its events have an old time.
    if (s.number > 1) is_alone.store(false, relaxed);
  }
  block_header* b = pop_spare();
  if (b == nullptr) b = claim_block();
  if (b == nullptr) return false;
  use_block(s, b);
  if (is_new && !s.has_ended) {
    watch_end_of_thread();
    s.random = s.tick * 0x9E3779B97F4A7C15u | 1;
    draw_sample(s);
  }
  return true;
}

/// A program that allocates nothing has a file, too.
[[gnu::constructor]] void open_at_load() {
  const own_calls mine(here);
  look_for_filter();
  learn_main_stack();
  open_file();
}

}  // namespace

own_calls::own_calls(stream& s) : s_(s), error_(errno), outer_(s.calls_itself) {
  s_.calls_itself = true;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_);
}

own_calls::~own_calls() {
  int now;
  pthread_setcancelstate(cancel_, &now);
  s_.calls_itself = outer_;
  errno = error_;
}

bool make_room(stream& s) {
  // relaxed: open_file() looks again
  const std::uint32_t last = mark.file.load(relaxed);
  const bool has_none = last == 0;
  if (s.retry != 0 && (has_none || last == s.file)) {
    --s.retry;
    if (!has_none) count_drop();
    return false;
  }
  const own_calls mine(s);
  bool can = !has_none || open_file();
  // acquire pairs with open_file(): the header is that of this file.
  const std::uint32_t file = mark.file.load(acquire);
  if (can && file != s.file) begin_again(s, file);
  if (can && s.at == nullptr) {
    can = begin(s);
  } else if (can && s.at >= s.end) {
    block_header* const next = store_block(s.block);
    can = next != nullptr;
    if (can) use_block(s, next);
  }
  if (!can) {
    s.retry = events_until_retry;
    if (!has_none) count_drop();
  }
  return can;
}

void forget_last_file() {
  for (auto& each : spare) {
    // relaxed, both: no other thread writes an event
    if (block_header* b = each.exchange(nullptr, relaxed)) unmap_block(b);
  }
  for (auto& each : seen_callers) each.store(0, relaxed);
}

void stamp_next_event() {
  here.unstamped = 0;
}

void ask_for_a_block_again() {
  here.retry = 0;
}

void give_back(stream& s) {
  block_header* const b = s.block;
  const bool is_full = s.at + 2 * longest_event > s.end;
  // relaxed: a number of its own
  const bool is_of_last_file = mark.file.load(relaxed) != s.file;
  forget_block(s);
  if (!is_full && !is_of_last_file) {
    for (auto& each : spare) {  // most_spare
      block_header* none = nullptr;
      // release pairs with pop_spare(); relaxed if it fails, as nothing was read.
      if (each.compare_exchange_strong(none, b, release, relaxed)) return;
    }
  }
  close_block(b);
}

void draw_sample(stream& s) {
  // An exponential distribution: the logarithm of a random number, of which the fraction is taken
  // to be linear between two powers of two. Its mean is off by 6 %.
  s.random ^= s.random << 13;
  s.random ^= s.random >> 7;
  s.random ^= s.random << 17;
  const std::uint64_t r = s.random >> 11 | 1;  // 53 bits
  const int log = 63 - std::countl_zero(r);
  const double fraction = static_cast<double>(r) / static_cast<double>(std::uint64_t{1} << log) - 1;
  const double nats = (53.0 - log - fraction) * 0.6931471805599453;
  s.unsampled = static_cast<std::int64_t>(nats * bytes_a_sample) + 1;
}

unsigned char* note_caller(stream& s, std::uintptr_t caller, unsigned slot, unsigned char* at) {
  s.last->callers[slot] = caller;
  const std::uint64_t hash = caller * 0x9E3779B97F4A7C15u >> 52;
  const std::uint64_t bit = std::uint64_t{1} << hash % 64;
  atomic<std::uint64_t>& word = seen_callers[hash / 64];
  const bool is_new = (word.load(relaxed) & bit) == 0;  // relaxed: at worst two threads write it
  if (is_new) {
    const own_calls mine(s);
    word.fetch_or(bit, relaxed);
    note_module_of(caller);
  }
  const bool is_sampled = at != s.at;  // its stack, or a free of a large block
  at = note_time(s, at);
  if (is_new && !is_sampled) at = write_stack(s, caller, at);
  at = put_control(at, control::caller);
  at = put_byte(at, slot);
  at = put_difference(at, caller, s.caller);
  s.caller = caller;
  return at;
}

unsigned char* write_stack(stream& s, std::uintptr_t caller, unsigned char* at) {
  const own_calls mine(s);
  constexpr std::size_t head_bytes = 3;  // with two for the number of frames
  constexpr std::size_t most_a_frame = 10;
  unsigned char* const head = at;
  at += head_bytes;
  const unsigned char* const last_frame_at = head + stack_bytes - 2 * most_a_frame;
  std::uintptr_t last = 0;
  unsigned n = 0;
  auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t low = frame;
  stack_reader stack(frame, s.stack);
  bool is_beyond_caller = false;
  // Each frame lies above the last one. libc's functions that tell the bounds of a stack take
  // locks, which the program may hold.
  while (last != cut_frame && frame % 8 == 0 && frame - low < deepest_stack) {
    std::uintptr_t words[2];
    if (!stack.read(frame, words)) break;
    if (is_beyond_caller && words[1] > 4096) {
      const bool is_full = n == most_frames || at > last_frame_at;
      const std::uintptr_t next = is_full ? cut_frame : words[1];
      at = put_difference(at, next, last);
      last = next;
      ++n;
    }
    if (words[1] == caller) is_beyond_caller = true;
    if (words[0] <= frame) break;
    frame = words[0];
  }
  if (n == 0) return head;
  put_byte(put_byte(put_control(head, control::stack), (n & 127) | 128), n >> 7);
  return at;
}

}  // namespace heapsmith::recorder
