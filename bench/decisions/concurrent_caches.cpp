// docs/design/regions.md: ways to keep many threads from contending for the lock of one region.
//
//   concurrent_caches                          the table: designs, threads, two patterns
//   concurrent_caches count DESIGN PAIRS       one thread, for a tool that counts instructions
//
// A pair is a free and an allocation of 16 to 512 bytes. In the pattern `own`, each thread replaces
// blocks of its own; in `exchanged`, threads replace blocks in slots that all of them share, so
// that most blocks are freed by another thread than their maker. Rounds are interleaved; a ratio is
// the median of the ratios within rounds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "heapsmith/concurrent_region.hpp"
#include "heapsmith/decorators.hpp"

namespace {

using heapsmith::concurrent_region;
using heapsmith::region;
using heapsmith::synchronized_region;
namespace detail = heapsmith::detail;
namespace lists = heapsmith::detail::cache_lists;
constexpr unsigned sizes = 64;
using block_cache = detail::block_cache<sizes>;

constexpr std::size_t buffer_bytes = std::size_t{64} << 20;

/// A cache for each thread, which no other thread uses: no lock and no atomic operation, but also
/// no way to empty it when memory runs out. It is the upper bound for any design.
class thread_caches {
 public:
  thread_caches(void* buffer, std::size_t bytes) : region_(buffer, bytes) {
    live_.learn_memory(buffer, bytes);
  }

  void* try_allocate(std::size_t bytes) {
    const unsigned list = lists::serving(bytes);
    void* p = mine().take(list);
    return p != nullptr ? p : refill(list);
  }

  void deallocate(void* p) {
    const unsigned list = live_.list_of(p);
    if (list == 0 || detail::cached_block::at(p)->is_marked()) abort();
    block_cache& cache = mine();
    if (!cache.has_room(list)) make_room(cache, list);
    cache.keep(p, list);
  }

 private:
  /// Leaks when its thread ends: the table makes few of them. No thread here uses two regions.
  block_cache& mine() {
    static constinit thread_local block_cache* cache = nullptr;
    if (cache == nullptr) {
      cache = new block_cache;
      cache->set_budget(128 << 10);
    }
    return *cache;
  }

  [[gnu::noinline]] void* refill(unsigned list) {
    const std::lock_guard guard(lock_);
    void* first = region_.try_allocate(lists::usable_bytes(list));
    if (first == nullptr) return nullptr;
    live_.learn_seal(first);
    for (unsigned n = 1; n < lists::batch(list) && mine().has_room(list); ++n) {
      void* p = region_.try_allocate(lists::usable_bytes(list));
      mine().keep(p, live_.list_of(p));
    }
    return first;
  }

  [[gnu::noinline]] void make_room(block_cache& cache, unsigned list) {
    const std::lock_guard guard(lock_);
    cache.make_room(list, [this](void* p, unsigned) { region_.deallocate(p); });
  }

  std::mutex lock_;
  region region_;
  detail::live_blocks<sizes> live_;
};

/// One stack for each size that all threads push to and pop from without a lock.
class shared_stacks {
 public:
  shared_stacks(void* buffer, std::size_t bytes) : region_(buffer, bytes) {
    live_.learn_memory(buffer, bytes);
  }

  void* try_allocate(std::size_t bytes) {
    const unsigned list = lists::serving(bytes);
    std::atomic<std::uint64_t>& top = tops_[list].word;
    std::uint64_t seen = top.load(std::memory_order_acquire);
    while (block_in(seen) != nullptr) {
      // Another thread may own the block by now; then the count has changed, and the exchange
      // fails.
      const std::uint64_t next = block_in(seen)->next.load(std::memory_order_relaxed);
      if (top.compare_exchange_weak(seen, next | next_count(seen), std::memory_order_acquire))
        return block_in(seen);
    }
    const std::lock_guard guard(lock_);
    void* p = region_.try_allocate(lists::usable_bytes(list));
    if (p != nullptr) live_.learn_seal(p);
    return p;
  }

  void deallocate(void* p) {
    auto* b = static_cast<node*>(p);
    std::atomic<std::uint64_t>& top = tops_[live_.list_of(p)].word;
    std::uint64_t seen = top.load(std::memory_order_relaxed), pushed;
    do {
      b->next.store(seen & address_mask, std::memory_order_relaxed);
      pushed = reinterpret_cast<std::uintptr_t>(b) | next_count(seen);
    } while (!top.compare_exchange_weak(seen, pushed, std::memory_order_release));
  }

 private:
  struct node {
    std::atomic<std::uint64_t> next;
  };
  static constexpr std::uint64_t address_mask = (std::uint64_t{1} << 48) - 1;

  static node* block_in(std::uint64_t word) { return reinterpret_cast<node*>(word & address_mask); }
  static std::uint64_t next_count(std::uint64_t word) {
    return (word & ~address_mask) + address_mask + 1;
  }

  struct alignas(64) line {
    std::atomic<std::uint64_t> word = 0;
  };
  line tops_[sizes + 1];
  std::mutex lock_;
  region region_;
  detail::live_blocks<sizes> live_;
};

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  std::uint32_t next() {
    state_ = state_ * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
    return static_cast<std::uint32_t>(state_ >> 32);
  }

 private:
  std::uint64_t state_;
};

constexpr std::size_t slot_count = 256;

/// A place for a block: a thread's own, or one that all threads exchange blocks through.
struct slot {
  std::atomic<void*> block = nullptr;
};

template <class Design>
void replace(Design& design, slot& s, random_numbers& r, bool is_shared) {
  void* p = design.try_allocate(16 + r.next() % 497);
  if (p == nullptr) abort();
  memset(p, 1, 16);
  void* old = s.block.load(std::memory_order_relaxed);
  if (is_shared)
    old = s.block.exchange(p, std::memory_order_acq_rel);
  else
    s.block.store(p, std::memory_order_relaxed);
  if (old != nullptr) design.deallocate(old);
}

struct times {
  double wall_ns, cpu_ns;
};

double now_ns(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

template <class Design>
struct bench {
  std::unique_ptr<unsigned char[]> buffer = std::make_unique<unsigned char[]>(buffer_bytes);
  std::unique_ptr<Design> design = std::make_unique<Design>(buffer.get(), buffer_bytes);
  std::vector<slot> slots = std::vector<slot>(slot_count * 10);

  void work(std::size_t thread, std::size_t pairs, bool is_shared) {
    random_numbers r(thread + 1);
    slot* const mine = slots.data() + (is_shared ? 0 : thread * slot_count);
    for (; pairs > 0; --pairs) replace(*design, mine[r.next() % slot_count], r, is_shared);
  }

  void clear() {
    for (slot& s : slots)
      if (void* p = s.block.exchange(nullptr)) design->deallocate(p);
  }

  /// Returns: for each pair, of all threads together, the time from the first thread's start to the
  /// last one's end, and the processors' time.
  times measure(std::size_t threads, std::size_t all_pairs, bool is_shared) {
    std::barrier start(static_cast<std::ptrdiff_t>(threads));
    std::vector<times> begin(threads), end(threads);
    std::vector<std::thread> crowd;
    for (std::size_t t = 0; t < threads; ++t)
      crowd.emplace_back([&, t] {
        work(t, slot_count * 4, is_shared);
        start.arrive_and_wait();
        begin[t] = {now_ns(CLOCK_MONOTONIC), now_ns(CLOCK_THREAD_CPUTIME_ID)};
        work(t, all_pairs / threads, is_shared);
        end[t] = {now_ns(CLOCK_MONOTONIC), now_ns(CLOCK_THREAD_CPUTIME_ID)};
      });
    for (std::thread& t : crowd) t.join();
    std::thread(&bench::clear, this).join();
    double first = begin[0].wall_ns, last = 0, cpu = 0;
    for (std::size_t t = 0; t < threads; ++t) {
      first = std::min(first, begin[t].wall_ns);
      last = std::max(last, end[t].wall_ns);
      cpu += end[t].cpu_ns - begin[t].cpu_ns;
    }
    const auto pairs = static_cast<double>(all_pairs);
    return {(last - first) / pairs, cpu / pairs};
  }
};

constexpr const char* names[] = {"synchronized_region", "concurrent_region", "thread_caches",
                                 "shared_stacks"};
constexpr std::size_t rounds = 11;

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

constexpr std::size_t designs = 4;
constexpr std::size_t crowds[] = {1, 2, 5, 10};

/// A column: the designs in turns, each round beginning with another.
void measure_rounds(std::size_t threads, bool is_shared, std::vector<times> (&all)[designs]) {
  bench<synchronized_region> a;
  bench<concurrent_region> b;
  bench<thread_caches> c;
  bench<shared_stacks> d;
  constexpr std::size_t pairs = 400'000;
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < designs; ++i) {
      const std::size_t which = (round + i) % designs;
      all[which].push_back(which == 0   ? a.measure(threads, pairs, is_shared)
                           : which == 1 ? b.measure(threads, pairs, is_shared)
                           : which == 2 ? c.measure(threads, pairs, is_shared)
                                        : d.measure(threads, pairs, is_shared));
    }
}

void table(bool is_shared) {
  std::vector<times> all[std::size(crowds)][designs];
  for (std::size_t n = 0; n < std::size(crowds); ++n) measure_rounds(crowds[n], is_shared, all[n]);
  for (const bool cpu : {false, true}) {
    const auto value = [cpu](const times& f) { return cpu ? f.cpu_ns : f.wall_ns; };
    printf("\n%s, %s: ns a pair (ratio)\n%-20s", is_shared ? "exchanged" : "own",
           cpu ? "processors' time" : "elapsed", "threads");
    for (const std::size_t threads : crowds) printf("%16zu", threads);
    for (std::size_t i = 0; i < designs; ++i) {
      printf("\n%-20s", names[i]);
      for (const auto& column : all) {
        std::vector<double> ns, ratio;
        for (std::size_t round = 0; round < rounds; ++round) {
          ns.push_back(value(column[i][round]));
          ratio.push_back(ns.back() / value(column[0][round]));
        }
        printf("%9.0f (%.2f)", median(ns), median(ratio));
      }
    }
    printf("\n");
  }
}

template <class Design>
int count(std::size_t pairs) {
  bench<Design> one;
  one.work(0, slot_count * 4 + pairs, false);
  printf("%zu pairs\n", pairs);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return table(false), table(true), 0;
  const std::size_t pairs = argc == 4 ? strtoull(argv[3], nullptr, 10) : 0;
  if (pairs != 0 && strcmp(argv[1], "count") == 0) {
    if (strcmp(argv[2], names[0]) == 0) return count<synchronized_region>(pairs);
    if (strcmp(argv[2], names[1]) == 0) return count<concurrent_region>(pairs);
    if (strcmp(argv[2], names[2]) == 0) return count<thread_caches>(pairs);
    if (strcmp(argv[2], names[3]) == 0) return count<shared_stacks>(pairs);
  }
  fputs("usage: concurrent_caches [count DESIGN PAIRS]\n", stderr);
  return 2;
}
