// The loop of a replay. Its time without an allocator is measured with the null allocator.
#include "play.hpp"

#include <errno.h>
#include <time.h>

#include "block_calls.hpp"
#include "threads.hpp"

namespace heapsmith::replayer {
namespace {

constexpr std::nothrow_t no_throw{};

std::uint64_t thread_ns() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void* play_in_thread(void* who) {
  play(*static_cast<player*>(who));
  return nullptr;
}

/// The state of the loop.
template <touch touches, bool is_timed>
class loop {
 public:
  explicit loop(player& who) : at_(who.calls), s_(*who.shared), blocks_(who) {}

  void run() {
    while (step()) {
    }
    if (entered_ != 0) s_.order.leave(window_, entered_);
    // relaxed, both: read after the threads have ended
    s_.wait_count.fetch_add(waited_ + blocks_.waited(), relaxed);
    note_refused();
  }

  void run_first(std::uint64_t calls) {
    while (calls != 0) {
      if (!at_.is_at_end_of_piece()) --calls;
      if (!step()) break;
    }
    note_refused();
  }

 private:
  void note_refused() {
    if (blocks_.refused() != 0) s_.refused.fetch_add(blocks_.refused(), relaxed);
  }

  bool step() {
    const unsigned first = at_.byte();
    switch (static_cast<op>(first & 15)) {
      case op::end_of_piece:
        return at_.next_piece();
      case op::malloc:
        if ((first & family_flag) != 0)
          blocks_.make_in_family(first, false);
        else
          blocks_.make(first, [this](std::size_t n) { return s_.calls.malloc(n); });
        break;
      case op::calloc:
        if ((first & family_flag) != 0)
          blocks_.make_in_family(first, true);
        else
          blocks_.make(first, [this](std::size_t n) { return s_.calls.calloc(1, n); });
        break;
      case op::new_one:
        blocks_.make(first, [this](std::size_t n) {
          return n < refusable_bytes ? s_.calls.make(n) : s_.calls.try_make(n, no_throw);
        });
        break;
      case op::new_array:
        blocks_.make(first, [this](std::size_t n) {
          return n < refusable_bytes ? s_.calls.make_array(n)
                                     : s_.calls.try_make_array(n, no_throw);
        });
        break;
      case op::aligned:
        blocks_.make_aligned(first);
        break;
      case op::realloc:
        blocks_.resize(first);
        break;
      case op::free:
        if ((first & family_flag) != 0)
          blocks_.end_in_family(first);
        else
          blocks_.end(first, [this](void* p) { s_.calls.free(p); });
        break;
      case op::delete_one:
        blocks_.end(first, [this](void* p) { s_.calls.end(p); });
        break;
      case op::delete_array:
        blocks_.end(first, [this](void* p) { s_.calls.end_array(p); });
        break;
      case op::delete_sized:
        blocks_.end_sized(first);
        break;
      case op::usable_size: {
        void* p = s_.slots.get(at_.number());
        if (p != nullptr && !is_refused(p)) s_.calls.usable_size(p);
        break;
      }
      case op::free_null:
        s_.calls.free(nullptr);
        break;
      case op::start_thread:
        if ((first & waits_flag) != 0)
          waited_ += join_thread(s_, at_.number());
        else
          start_thread(s_, at_.number(), play_in_thread);
        break;
      case op::window:
        enter_window();
        break;
      case op::sample: {
        const std::uint64_t live = at_.number(), ns = at_.number();
        if (s_.is_paced) wait_until(s_.began_ns + ns);
        if (s_.is_sampled) s_.memory.look(ns, live);
        break;
      }
    }
    return true;
  }

  /// Allocators give memory back after some time.
  void wait_until(std::uint64_t ns) {
    const std::uint64_t before = clock_now();
    const timespec when = {static_cast<time_t>(ns / 1'000'000'000),
                           static_cast<long>(ns % 1'000'000'000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr) == EINTR) {
    }
    waited_ += clock_now() - before;
  }

  void enter_window() {
    const auto number = static_cast<std::uint32_t>(at_.number());
    const auto complete = static_cast<std::uint32_t>(at_.number());
    const auto threads = static_cast<std::uint32_t>(at_.number());
    if (entered_ != 0) s_.order.leave(window_, entered_);
    window_ = number;
    entered_ = threads;
    waited_ += s_.order.enter(complete);
  }

  stream& at_;
  stage& s_;
  block_calls<touches, is_timed> blocks_;
  std::uint64_t waited_ = 0;
  std::uint32_t window_ = 0;
  std::uint32_t entered_ = 0;  // the threads of the window, or 0: none was entered
};

template <touch touches>
void play_touching(player& who) {
  if (who.shared->is_timed)
    loop<touches, true>(who).run();
  else
    loop<touches, false>(who).run();
}

}  // namespace

void prepare(player& who, std::uint64_t calls) {
  stage& s = *who.shared;
  who.calls.begin(s.plan, who.first_piece & ~std::uint64_t{1});
  who.is_begun = true;
  switch (s.touches) {
    case touch::none:
      return loop<touch::none, false>(who).run_first(calls);
    case touch::first:
      return loop<touch::first, false>(who).run_first(calls);
    case touch::measured:
      return loop<touch::measured, false>(who).run_first(calls);
  }
}

void play(player& who) {
  stage& s = *who.shared;
  const std::uint64_t before = thread_ns();
  if (!who.is_begun) who.calls.begin(s.plan, who.first_piece & ~std::uint64_t{1});
  who.is_begun = false;  // the next pass begins at the first piece
  switch (s.touches) {
    case touch::none:
      play_touching<touch::none>(who);
      break;
    case touch::first:
      play_touching<touch::first>(who);
      break;
    case touch::measured:
      play_touching<touch::measured>(who);
      break;
  }
  s.cpu_ns.fetch_add(thread_ns() - before, relaxed);
  // release pairs with the loads below: what this thread counted is seen.
  const std::uint32_t left = s.running.fetch_sub(1, acq_rel) - 1;
  if (left == 0) {
    wake_all(s.running);
    return;
  }
  if ((who.first_piece & 1) == 0) return;
  for (std::uint32_t n = left; n != 0; n = s.running.load(acquire)) sleep_on(s.running, n);
}

}  // namespace heapsmith::replayer
