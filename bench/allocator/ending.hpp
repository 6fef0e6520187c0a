// end-million-BYTES: a million blocks are allocated and filled, and all are freed: at once if the
// contender can, otherwise one by one in the order of allocation. The first round maps the memory;
// the medians of the other rounds are reported, per block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/measure.hpp"
#include "support/report.hpp"
#include "support/suite.hpp"

namespace bench {

template <class Contender, std::size_t Bytes>
class ending_work {
 public:
  explicit ending_work(std::size_t count) : made_(count) {}

  void run(report& report, unsigned rounds, unsigned threads) {
    std::vector<double> allocated, ended;
    stopwatch watch;
    for (unsigned round = 0; round <= rounds; ++round) {
      watch.start();
      make();
      watch.stop();
      allocated.push_back(watch.take());
      check();
      watch.start();
      end();
      watch.stop();
      ended.push_back(watch.take());
      if constexpr (requires { blocks_.expect_none(); }) blocks_.expect_none();
      if (round == 0) allocated.clear(), ended.clear();
    }
    const double per_block = 1e9 / static_cast<double>(made_.size());
    report.value("alloc_ns", "threads", threads, median(allocated) * per_block);
    report.value("destroy_ns", "threads", threads, median(ended) * per_block);
    report.answer(made_.size());
  }

 private:
  static constexpr std::size_t words = Bytes / sizeof(std::uint32_t);

  [[gnu::noinline]] void make() {
    std::uint32_t number = 0;
    for (void*& block : made_) {
      block = blocks_.allocate(Bytes);
      auto* const word = static_cast<std::uint32_t*>(block);
      for (std::size_t i = 0; i < words; ++i) word[i] = number;
      ++number;
    }
    keep(made_);
  }

  void check() const {
    std::uint32_t number = 0;
    for (const void* block : made_) {
      const auto* const word = static_cast<const std::uint32_t*>(block);
      for (std::size_t i = 0; i < words; ++i)
        expect(word[i] == number, "a block changed while it was in use");
      ++number;
    }
  }

  [[gnu::noinline]] void end() {
    if constexpr (requires { blocks_.end_all(); })
      blocks_.end_all();
    else
      for (void* block : made_) blocks_.deallocate(block, Bytes);
    keep(made_);
  }

  typename Contender::blocks blocks_;
  std::vector<void*> made_;
};

template <class Contender, std::size_t Bytes>
void run_ending(const request& wanted, report& report) {
  const std::size_t count = wanted.choose<std::size_t>(1'000'000, 1'000'000, 2000);
  const unsigned rounds = wanted.choose(5U, 3U, 1U);
  ending_work<Contender, Bytes>(count).run(report, rounds, wanted.threads);
}

template <class Contender>
void add_ending_entries(std::vector<entry>& all) {
  all.push_back(make_entry<Contender>("end-million-16", {1}, run_ending<Contender, 16>));
  all.push_back(make_entry<Contender>("end-million-64", {1}, run_ending<Contender, 64>));
  all.push_back(make_entry<Contender>("end-million-256", {1}, run_ending<Contender, 256>));
}

}  // namespace bench
