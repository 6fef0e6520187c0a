// Notes the clocks in the header now and then, and goes on without the processor's clock.
#include "record/clock.hpp"
#include "record/confine.hpp"
#include "record/file.hpp"
#include "record/file_parts.hpp"

namespace heapsmith::recorder {
namespace {

constinit atomic<std::uint64_t> next_note{0};  // a tick

constexpr std::uint64_t ticks_a_note = std::uint64_t{1} << 19;  // 8 to 17 ms

}  // namespace

constinit atomic<std::uint64_t> made_up{0};

bool note_clocks(std::uint64_t tick) {
  std::uint64_t due = next_note.load(relaxed);
  // relaxed: only the thread that moves the time on writes.
  if (tick < due || !next_note.compare_exchange_strong(due, tick + ticks_a_note, relaxed))
    return false;
  const kernel_calls calls;
  if (!calls.may_call()) return false;  // where the clock is a call of the kernel
  if (is_clock_stopped()) return true;
  file_header& h = header();
  h.last_tick = tick_now();
  h.last_ns = monotonic_ns();
  return true;
}

void note_clocks_again(std::uint64_t tick) {
  next_note.store(0, relaxed);  // relaxed: a number of its own
  note_clocks(tick);
}

bool stop_clock() {
  if (is_clock_stopped()) return false;
  const std::uint64_t now = tick_now();
  if (file_header* const h = header_or_none(); h != nullptr) {
    note_clocks_again(now);
    if (h->stopped_tick == 0) h->stopped_tick = now;
  }
  stamp_next_event();
  made_up.store(now, relaxed);  // relaxed: see is_clock_stopped()
  return true;
}

void resume_clock() {
  // relaxed, both: this thread is the only one
  if (is_alone.load(relaxed)) made_up.store(0, relaxed);
}

}  // namespace heapsmith::recorder
