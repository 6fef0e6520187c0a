// The loop of a replay. Its time without an allocator is measured with the null allocator.
#include "play.hpp"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

namespace heapsmith::replayer {
namespace {

constexpr unsigned address_bits = 48;
constexpr std::uint64_t address_mask = (std::uint64_t{1} << address_bits) - 1;
constexpr unsigned calls_a_sample = 64;
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
  explicit loop(player& who) : at_(who.calls), s_(*who.shared), lanes_(who.lanes) {}

  void run() {
    while (step()) {
    }
    if (entered_ != 0) s_.order.leave(window_, entered_);
    s_.wait_count.fetch_add(waited_, relaxed);  // relaxed: read after the threads have ended
    if (refused_ != 0) s_.refused.fetch_add(refused_, relaxed);
  }

  void run_first(std::uint64_t calls) {
    while (calls != 0) {
      if (!at_.is_at_end_of_piece()) --calls;
      if (!step()) break;
    }
    if (refused_ != 0) s_.refused.fetch_add(refused_, relaxed);
  }

 private:
  bool step() {
    const unsigned first = at_.byte();
    switch (static_cast<op>(first & 15)) {
      case op::end_of_piece:
        return at_.next_piece();
      case op::malloc:
        if ((first & family_flag) != 0)
          make_in_family(first, false);
        else
          make(first, [this](std::size_t n) { return s_.calls.malloc(n); });
        break;
      case op::calloc:
        if ((first & family_flag) != 0)
          make_in_family(first, true);
        else
          make(first, [this](std::size_t n) { return s_.calls.calloc(1, n); });
        break;
      case op::new_one:
        make(first, [this](std::size_t n) {
          return n < refusable_bytes ? s_.calls.make(n) : s_.calls.try_make(n, no_throw);
        });
        break;
      case op::new_array:
        make(first, [this](std::size_t n) {
          return n < refusable_bytes ? s_.calls.make_array(n)
                                     : s_.calls.try_make_array(n, no_throw);
        });
        break;
      case op::aligned:
        make_aligned(first);
        break;
      case op::realloc:
        resize(first);
        break;
      case op::free:
        if ((first & family_flag) != 0)
          end_in_family(first);
        else
          end(first, [this](void* p) { s_.calls.free(p); });
        break;
      case op::delete_one:
        end(first, [this](void* p) { s_.calls.end(p); });
        break;
      case op::delete_array:
        end(first, [this](void* p) { s_.calls.end_array(p); });
        break;
      case op::delete_sized:
        end_sized(first);
        break;
      case op::usable_size: {
        void* p = address(s_.slots[at_.number()].load(relaxed));
        if (p != nullptr && !is_refused(p)) s_.calls.usable_size(p);
        break;
      }
      case op::free_null:
        s_.calls.free(nullptr);
        break;
      case op::start_thread:
        (first & waits_flag) != 0 ? join_thread(at_.number()) : start_thread(at_.number());
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

  static void* address(std::uint64_t word) { return reinterpret_cast<void*>(word & address_mask); }

  /// Calls f, and times it if its turn has come.
  template <class F>
  [[gnu::always_inline]] auto timed(latency& into, F f) {
    if constexpr (is_timed) {
      if (--until_timed_ == 0) [[unlikely]] {
        // Not every 64th: a pattern of the program could have the same length.
        random_ = random_ * 6364136223846793005u + 1442695040888963407u;
        until_timed_ = calls_a_sample / 2 + static_cast<unsigned>(random_ >> 58);
        const std::uint64_t before = clock_now();
        auto result = f();
        into.add(clock_now() - before);
        return result;
      }
    }
    return f();
  }

  /// Effects: keeps a new block in a slot of this thread.
  void hold(std::uint64_t slot, void* p) {
    const std::uint64_t turn = (s_.slots[slot].load(relaxed) >> address_bits) + 1;
    // release pairs with take(): another thread that frees the block sees what was written to it.
    s_.slots[slot].store(turn << address_bits | reinterpret_cast<std::uint64_t>(p), release);
  }

  void await_empty(std::uint64_t slot) {
    // acquire pairs with take(): the block that was there is given up.
    if ((s_.slots[slot].load(acquire) & address_mask) == 0) [[likely]]
      return;
    wait([&] { return (s_.slots[slot].load(acquire) & address_mask) == 0; });
  }

  /// Returns: the block that another thread holds in `slot` as its `turn`th.
  void* take(std::uint64_t slot, std::uint64_t turn) {
    std::uint64_t word = s_.slots[slot].load(acquire);
    const auto is_there = [&] {
      word = s_.slots[slot].load(acquire);  // pairs with hold()
      return word >> address_bits == turn && (word & address_mask) != 0;
    };
    if (!is_there()) wait(is_there);
    s_.slots[slot].store(turn << address_bits, release);  // pairs with await_empty()
    return address(word);
  }

  template <class F>
  void wait(F is_over) {
    const std::uint64_t before = clock_now();
    for (unsigned i = 0; !is_over(); ++i) {  // until another thread has come as far
      if (i < 100)
        pause();
      else if (i < 1000)
        sched_yield();
      else {
        const timespec some = {0, 50'000};
        nanosleep(&some, nullptr);
      }
    }
    waited_ += clock_now() - before;
  }

  template <class F>
  [[gnu::always_inline]] void make(unsigned first, F f) {
    const std::uint64_t slot = at_.number();
    const std::size_t bytes = at_.number();
    keep(first, slot, bytes, [&] { return f(bytes); });
  }

  void make_in_family(unsigned first, bool is_zeroed) {
    const std::uint64_t slot = at_.number();
    const std::size_t bytes = at_.number();
    lane& family = lanes_[at_.number()];
    keep(first, slot, bytes, [&] { return family.allocate(s_.calls, bytes, is_zeroed); });
  }

  void make_aligned(unsigned first) {
    const std::uint64_t slot = at_.number();
    const std::size_t bytes = at_.number();
    const auto api = static_cast<unsigned>(at_.number());
    const std::size_t align = at_.number();
    keep(first, slot, bytes, [&] { return allocate_aligned(s_.calls, api, bytes, align); });
  }

  template <class F>
  [[gnu::always_inline]] void keep(unsigned first, std::uint64_t slot, std::size_t bytes, F f) {
    const std::size_t touched = (first & touched_flag) != 0 ? at_.number() : bytes;
    if ((first & waits_flag) != 0) await_empty(slot);
    void* p = timed(s_.allocations, f);
    if (p == nullptr) [[unlikely]] {
      ++refused_;
      hold(slot, refused_block);
      return;
    }
    write<touches>(p, 0, touched);
    hold(slot, p);
  }

  void resize(unsigned first) {
    const std::uint64_t slot = at_.number();
    std::uint64_t to = slot;
    void* old;
    if ((first & waits_flag) != 0) {
      const std::uint64_t turn = at_.number(), word = at_.number();
      to = word >> 1;
      if ((word & 1) != 0) await_empty(to);
      old = take(slot, turn);
    } else {
      old = address(s_.slots[slot].load(relaxed));
    }
    const std::size_t bytes = at_.number();
    std::size_t written = at_.number();
    const std::size_t touched = (first & touched_flag) != 0 ? at_.number() : bytes;
    if (is_refused(old)) {
      old = nullptr;
      written = 0;
    }
    void* p = timed(s_.allocations, [&] { return s_.calls.realloc(old, bytes); });
    if (p == nullptr) [[unlikely]] {
      ++refused_;
      p = old == nullptr ? refused_block : old;
    } else {
      write<touches>(p, written, touched);
    }
    hold(to, p);
  }

  /// Returns: the block that ends.
  void* ended(unsigned first) {
    const std::uint64_t slot = at_.number();
    if ((first & waits_flag) != 0) return take(slot, at_.number());
    const std::uint64_t word = s_.slots[slot].load(relaxed);
    // The slot is empty at the end of a pass. Nobody waits for that, so it is relaxed.
    s_.slots[slot].store(word & ~address_mask, relaxed);
    return address(word);
  }

  template <class F>
  [[gnu::always_inline]] void end(unsigned first, F f) {
    void* p = ended(first);
    if (is_refused(p)) return;
    read<touches>(p);
    timed(s_.frees, [&] {
      f(p);
      return 0;
    });
  }

  void end_sized(unsigned first) {
    void* p = ended(first);
    const std::size_t bytes = at_.number();
    if (is_refused(p)) return;
    read<touches>(p);
    timed(s_.frees, [&] {
      s_.calls.end_sized(p, bytes);
      return 0;
    });
  }

  void end_in_family(unsigned first) {
    void* p = ended(first);
    lane& family = lanes_[at_.number()];
    const std::size_t bytes = at_.number();
    if (is_refused(p)) {
      family.end_refused();
      return;
    }
    if (family.visits_ended()) read<touches>(p);
    timed(s_.frees, [&] {
      family.deallocate(s_.calls, p, bytes);
      return 0;
    });
  }

  void start_thread(std::uint64_t number) {
    s_.running.fetch_add(1, relaxed);  // relaxed: this thread runs and is counted
    player& other = s_.players[number];
    pthread_t thread;
    if (pthread_create(&thread, nullptr, play_in_thread, &other) != 0) __builtin_trap();
    other.handle.store(thread, release);  // pairs with join_thread()
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

  /// Waits for the end of a thread, with what its allocator does then.
  void join_thread(std::uint64_t number) {
    player& other = s_.players[number];
    // acquire pairs with start_thread(): the thread is there.
    const auto is_started = [&] { return other.handle.load(acquire) != 0; };
    if (!is_started()) wait(is_started);
    const std::uint64_t before = clock_now();
    pthread_join(other.handle.exchange(0, relaxed), nullptr);  // relaxed: only this thread joins it
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
  lane* lanes_;
  std::uint64_t waited_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t random_ = reinterpret_cast<std::uintptr_t>(this);
  unsigned until_timed_ = calls_a_sample;
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
