// The seldom part of a stream: blocks, threads that begin and end, new callers, sampled stacks.
#include "watch/record/stream.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <bit>

#include "watch/record/modules.hpp"

namespace heapsmith::recorder {

thread_local constinit stream here = {};

namespace {

constinit pthread_key_t at_thread_end = 0;
constinit atomic<int> key_state{0};  // 0 none, 1 being made, 2 there

constexpr std::int64_t bytes_a_sample = 512 * 1024;
constexpr std::uint32_t events_until_retry = 4096;
constexpr std::uintptr_t deepest_stack = std::uintptr_t{256} << 20;  // of which frames are read

void end_thread(void*) {
  stream& s = here;
  s.has_ended = true;
  if (s.at == nullptr) return;
  // relaxed: only the address is compared
  if (mark.current.load(relaxed) != s.of) {
    leave(s);
    return;
  }
  const writing event(s);  // and gives the block back
  if (event) put_control(s, control::end_of_thread);
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

/// Effects: begins the part of a block that belongs to this thread.
void put_thread(stream& s) {
  put_control(s, control::thread);
  put_number(s, s.number);
  put_number(s, static_cast<std::uint64_t>(gettid()));
  s.tick = tick_now();
  put_number(s, s.tick);
  s.made = s.ended = s.caller = 0;
  for (std::uintptr_t& caller : s.callers) caller = 0;
  note_clocks(*s.of, s.tick);
}

void forget_block(stream& s) {
  s.at = s.end = nullptr;
  s.block = nullptr;
}

block_header* take_spare(recording& r) {
  for (auto& each : r.spare) {  // most_spare
    // acquire pairs with give_back(): the bytes of the thread that ended are written. The first
    // load, relaxed, saves the exchange where there is nothing.
    if (each.load(relaxed) == nullptr) continue;
    if (block_header* b = each.exchange(nullptr, acquire)) return b;
  }
  return nullptr;
}

/// Words of the stack, read so that an address that cannot be read is no fault.
class stack_reader {
 public:
  /// Returns: whether the two words at `frame`, a frame's link and its return address, were read.
  bool read(std::uintptr_t frame, std::uintptr_t (&words)[2]) {
    if (frame / page != readable_ || frame % page > page - sizeof words) {
      // The kernel looks, as a program without frame pointers gives any number for a frame.
      const iovec to = {words, sizeof words};
      const iovec from = {reinterpret_cast<void*>(frame), sizeof words};
      if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof words) return false;
      readable_ = frame / page;
      return true;
    }
    __builtin_memcpy(words, reinterpret_cast<const void*>(frame), sizeof words);
    return true;
  }

 private:
  static constexpr std::uintptr_t page = 4096;  // or a part of one
  std::uintptr_t readable_ = 0;                 // the page that was read last
};

bool begin(stream& s) {
  recording& r = *s.of;
  const bool is_new = s.number == 0;
  // relaxed: only the number matters
  if (is_new) s.number = r.header->threads.fetch_add(1, relaxed) + 1;
  block_header* b = take_spare(r);
  if (b == nullptr) b = claim_block(r);
  if (b == nullptr) return false;
  s.block = b;
  s.at = reinterpret_cast<unsigned char*>(b) + b->used.load(relaxed);  // relaxed: see take_spare()
  s.end = reinterpret_cast<unsigned char*>(b) + block_bytes - longest_event;
  put_thread(s);
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
  open_recording();
}

}  // namespace

bool make_room(stream& s) {
  // relaxed: a thread that sees the change late records some events more or less.
  if (state.load(relaxed) == recording_state::off) return false;
  const own_calls mine(s);
  // acquire pairs with the release store where a recording begins: it is filled in.
  recording* r = mark.current.load(acquire);
  if (r == nullptr) r = open_recording();
  if (r == nullptr) return false;
  if (r != s.of) {
    leave(s);
    s.of = r;
  }
  if (s.at != nullptr && s.at < s.end) return true;
  if (s.at != nullptr) {
    close_block(s.block);
    forget_block(s);
  }
  if (s.retry != 0) {
    --s.retry;
  } else {
    if (begin(s)) return true;
    s.retry = events_until_retry;
  }
  count_drop();
  return false;
}

void leave(stream& s) {
  if (s.block != nullptr && s.of->pid == getpid()) close_block(s.block);
  forget_block(s);
  s.of = nullptr;
  s.number = s.retry = 0;
}

void give_back(stream& s) {
  block_header* const b = s.block;
  // relaxed: stop_recording() closes those that it finds. One that comes later stays open, which
  // readers know from programs that were killed.
  const bool is_over = mark.current.load(relaxed) != s.of;
  const bool is_full = s.at + 4 * longest_event > s.end;
  forget_block(s);
  if (!is_full && !is_over) {
    for (auto& each : s.of->spare) {  // most_spare
      block_header* none = nullptr;
      // release pairs with take_spare(); relaxed if it fails, as nothing was read.
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

void note_caller(stream& s, std::uintptr_t caller, unsigned slot) {
  s.callers[slot] = caller;
  const std::uint64_t hash = caller * 0x9E3779B97F4A7C15u >> 52;
  const std::uint64_t bit = std::uint64_t{1} << hash % 64;
  atomic<std::uint64_t>& word = s.of->seen_callers[hash / 64];
  const bool is_new = (word.load(relaxed) & bit) == 0;  // relaxed: at worst two threads write it
  if (is_new) {
    const own_calls mine(s);
    word.fetch_or(bit, relaxed);
    if (!is_in_noted_module(caller)) note_all_modules(s.of->path, tick_now());
  }
  note_clocks(*s.of, s.tick);
  if (is_new) write_stack(s, caller);
  put_control(s, control::caller);
  put_byte(s, slot);
  put_difference(s, caller, s.caller);
  s.caller = caller;
}

void write_stack(stream& s, std::uintptr_t caller) {
  const own_calls mine(s);
  std::uintptr_t frames[most_frames];
  unsigned n = 0;
  auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t low = frame;
  stack_reader stack;
  bool is_beyond_caller = false;
  // Each frame lies above the last one. libc's functions that tell the bounds of a stack take
  // locks, which the program may hold.
  while (n < most_frames && frame % 8 == 0 && frame - low < deepest_stack) {
    std::uintptr_t words[2];
    if (!stack.read(frame, words)) break;
    if (is_beyond_caller && words[1] > 4096) frames[n++] = words[1];
    if (words[1] == caller) is_beyond_caller = true;
    if (words[0] <= frame) break;
    frame = words[0];
  }
  if (n == 0) return;
  put_control(s, control::stack);
  put_byte(s, n);
  std::uintptr_t last = 0;
  for (unsigned i = 0; i < n; ++i) {
    put_difference(s, frames[i], last);
    last = frames[i];
  }
}

}  // namespace heapsmith::recorder
