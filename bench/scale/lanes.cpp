// The suite `scale`: what a call costs while more and more threads do the same work.
//
// usage: lanes [--threads N] WHAT SMALLEST LARGEST BLOCKS STEPS [--quick], where WHAT is
//        own        each thread replaces blocks of its own
//        zeroed     the same with calloc
//        aligned    the same with aligned_alloc, to 64 bytes
//        resized    each resizes blocks of its own by realloc
//        passed     all replace blocks of one table
//        heirs      as own; each thread ends, and leaves its blocks to the next one
//
// A table has BLOCKS blocks of SMALLEST to LARGEST bytes. A step frees one, chosen at random, and
// allocates another one. All threads together take STEPS steps, so with enough processors N threads
// take an N-th of the time; a quarter of them with --quick at the end. The first and the last word
// of a block say its size, so a block that overlaps another one changes one of them.
//
// Ideas: Larson and Krishnan, "Memory allocation for long-running server applications", ISMM 1998
// (own, heirs); Berger, McKinley, Blumofe and Wilson, "Hoard: a scalable memory allocator for
// multithreaded applications", ASPLOS 2000 (passed).
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <latch>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "support/measure.hpp"
#include "support/random.hpp"
#include "support/report.hpp"

namespace {

constexpr std::size_t generations = 20;  // of heirs

struct work {
  std::string_view what;
  unsigned threads = 1;
  std::uint64_t smallest = 0, largest = 0;
  std::size_t blocks = 0;
  std::uint64_t steps = 0;

  std::uint64_t steps_of_each() const { return std::max<std::uint64_t>(1, steps / threads); }
};

std::uint64_t word_at(const void* p, std::uint64_t offset) {
  std::uint64_t word = 0;
  std::memcpy(&word, static_cast<const char*>(p) + offset, 8);
  return word;
}

std::uint64_t draw_size(bench::random_words& random, const work& w) {
  return w.smallest + random.below(w.largest - w.smallest + 1);
}

void* fill(void* p, std::uint64_t size, bench::random_words& random) {
  const std::uint64_t first = random.word() << 32 | size, last = ~first;
  std::memcpy(p, &first, 8);
  std::memcpy(static_cast<char*>(p) + size - 8, &last, 8);
  asm volatile("" : : : "memory");  // what is read later is what memory has then
  return p;
}

void* make_block(bench::random_words& random, const work& w) {
  constexpr std::uint64_t alignment = 64;
  const std::uint64_t size = draw_size(random, w);
  void* p = nullptr;
  if (w.what == "zeroed") {
    p = std::calloc(1, size);
    bench::expect(p != nullptr &&
                      (word_at(p, 0) | word_at(p, size / 2) | word_at(p, size - 8)) == 0,
                  "calloc returned no zeros");
  } else if (w.what == "aligned") {
    p = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    bench::expect(p != nullptr && reinterpret_cast<std::uintptr_t>(p) % alignment == 0,
                  "aligned_alloc returned no aligned block");
  } else {
    p = std::malloc(size);
    bench::expect(p != nullptr, "malloc returned no block");
  }
  return fill(p, size, random);
}

/// The block's size, read from the block; 0 for null.
std::uint64_t size_of(const void* p, const work& w) {
  if (p == nullptr) return 0;
  const std::uint64_t first = word_at(p, 0), size = first & 0xffffffff;
  bench::expect(size >= w.smallest && size <= w.largest, "a size changed while it was in use");
  bench::expect(word_at(p, size - 8) == ~first, "a block changed while it was in use");
  return size;
}

/// Returns the block's size.
std::uint64_t end_block(void* p, const work& w) {
  const std::uint64_t size = size_of(p, w);
  std::free(p);
  return size;
}

void* resize_block(void* p, bench::random_words& random, const work& w) {
  const std::uint64_t first = word_at(p, 0), size = draw_size(random, w);
  void* const now = std::realloc(p, size);
  bench::expect(now != nullptr && word_at(now, 0) == first, "realloc lost what the block had");
  return fill(now, size, random);
}

/// Blocks that one thread at a time replaces.
class table {
 public:
  table(const work& w, std::uint64_t seed) : work_(&w), random_(seed), blocks_(w.blocks) {
    for (void*& p : blocks_) p = make_block(random_, w);
  }

  void replace(std::uint64_t steps) {
    for (; steps != 0; --steps) {
      void*& p = blocks_[random_.below(blocks_.size())];
      if (work_->what == "resized") {
        ended_ += size_of(p, *work_);
        p = resize_block(p, random_, *work_);
      } else {
        ended_ += end_block(p, *work_);
        p = make_block(random_, *work_);
      }
    }
  }

  /// Frees all. Returns the sizes of all blocks that there were.
  std::uint64_t end() {
    for (void* p : blocks_) ended_ += end_block(p, *work_);
    return ended_;
  }

 private:
  const work* work_;
  bench::random_words random_;
  std::vector<void*> blocks_;
  std::uint64_t ended_ = 0;
};

/// Runs live(n) in each of `w.threads` threads, of which this is the first, and adds their results.
template <class Live>
std::uint64_t in_all_threads(const work& w, Live live) {
  std::vector<std::uint64_t> results(w.threads);
  std::vector<std::thread> others;
  for (unsigned n = 1; n < w.threads; ++n) others.emplace_back([&, n] { results[n] = live(n); });
  results[0] = live(0);
  for (std::thread& each : others) each.join();
  std::uint64_t sum = 0;
  for (const std::uint64_t each : results) sum += each;
  return sum;
}

std::uint64_t run_own(const work& w) {
  return in_all_threads(w, [&](unsigned n) {
    table own(w, n);
    own.replace(w.steps_of_each());
    return own.end();
  });
}

std::uint64_t run_passed(const work& w) {
  std::vector<std::atomic<void*>> shared(w.blocks);
  std::uint64_t sum = in_all_threads(w, [&](unsigned n) {
    bench::random_words random(n);
    std::uint64_t ended = 0;
    for (std::uint64_t i = w.steps_of_each(); i != 0; --i) {
      void* const made = make_block(random, w);
      std::atomic<void*>& slot = shared[random.below(shared.size())];
      // Its contents pass from the thread that made it to the one that takes it out.
      ended += end_block(slot.exchange(made, std::memory_order_acq_rel), w);
    }
    return ended;
  });
  for (std::atomic<void*>& slot : shared) sum += end_block(slot.load(), w);
  return sum;
}

/// A line of threads. Each one joins its predecessor and goes on with its table.
class line {
 public:
  line(const work& w, std::uint64_t seed) : work_(&w), seed_(seed) { start(nullptr); }

  std::uint64_t wait() {
    last_has_ended_.wait();
    pthread_join(last_, nullptr);
    return sum_;
  }

 private:
  struct member {
    line* of = nullptr;
    std::unique_ptr<member> predecessor;  // whose thread is joined first
    pthread_t thread = {};
    std::latch is_known{1};  // `thread` is written
  };

  void start(std::unique_ptr<member> predecessor) {
    auto next = std::make_unique<member>();
    next->of = this;
    next->predecessor = std::move(predecessor);
    member* const m = next.release();
    bench::expect(pthread_create(&m->thread, nullptr, live, m) == 0, "no thread");
    m->is_known.count_down();
  }

  static void* live(void* argument) {
    std::unique_ptr<member> self(static_cast<member*>(argument));
    self->is_known.wait();
    if (self->predecessor != nullptr) pthread_join(self->predecessor->thread, nullptr);
    self->predecessor.reset();
    line& of = *self->of;
    const work& w = *of.work_;
    if (of.table_ == nullptr) of.table_ = std::make_unique<table>(w, of.seed_);
    of.table_->replace(std::max<std::uint64_t>(1, w.steps_of_each() / generations));
    if (++of.generation_ < generations) {
      of.start(std::move(self));
    } else {
      of.sum_ = of.table_->end();
      of.last_ = self->thread;
      of.last_has_ended_.count_down();
    }
    return nullptr;
  }

  const work* work_;
  std::uint64_t seed_;
  std::unique_ptr<table> table_;
  std::size_t generation_ = 0;
  std::uint64_t sum_ = 0;
  pthread_t last_ = {};
  std::latch last_has_ended_{1};
};

std::uint64_t run_heirs(const work& w) {
  std::vector<std::unique_ptr<line>> lines;
  for (unsigned n = 0; n < w.threads; ++n) lines.push_back(std::make_unique<line>(w, n));
  std::uint64_t sum = 0;
  for (auto& each : lines) sum += each->wait();
  return sum;
}

/// Time in which a thread waits for a processor does not count.
template <class Run>
std::uint64_t timed(const work& w, std::size_t blocks_of_each, Run run) {
  const double begin = bench::processor_seconds();
  const std::uint64_t answer = run(w);
  const double calls = 2.0 * static_cast<double>(w.threads * (blocks_of_each + w.steps_of_each()));
  std::printf("value call_ns %.9g\n", (bench::processor_seconds() - begin) * 1e9 / calls);
  return answer;
}

int usage() {
  std::fputs(
      "usage: lanes [--threads N] own|zeroed|aligned|resized|passed|heirs SMALLEST LARGEST BLOCKS "
      "STEPS [--quick]\n",
      stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  work w;
  if (words.size() >= 2 && words[0] == "--threads") {
    w.threads = static_cast<unsigned>(bench::number(words[1]));
    words.erase(words.begin(), words.begin() + 2);
  }
  const bool is_quick = words.size() == 6 && words[5] == "--quick";
  if (words.size() != 5 && !is_quick) return usage();
  w.what = words[0];
  w.smallest = std::max<std::uint64_t>(16, bench::number(words[1]));
  w.largest = std::max<std::uint64_t>(w.smallest, bench::number(words[2]));
  w.blocks = bench::number(words[3]);
  w.steps = bench::number(words[4]) / (is_quick ? 4 : 1);
  bench::report report;
  if (w.what == "own" || w.what == "zeroed" || w.what == "aligned" || w.what == "resized") {
    report.answer(timed(w, w.blocks, run_own));
  } else if (w.what == "passed") {
    report.answer(timed(w, 0, run_passed));
  } else if (w.what == "heirs") {
    report.answer(timed(w, w.blocks, run_heirs));
  } else {
    return usage();
  }
  report.finish();
  return 0;
}
