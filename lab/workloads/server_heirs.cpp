// Workload server-heirs: request threads end, and their successors free the blocks they left.
//
// Idea: Larson and Krishnan, "Memory allocation for long-running server applications", ISMM 1998:
// a server's session outlives the threads that serve it. A thread replaces random blocks of its
// sessions, starts its successor, hands it the sessions and ends, so nearly every block is freed by
// a thread that did not allocate it, often after the thread that did is gone.

#include <array>
#include <latch>
#include <memory>

#include "workload.hpp"

namespace {

constexpr unsigned blocks_per_response = 16;
constexpr std::uint32_t responses_per_session = 64;
constexpr double requests_per_session = 28e3;
constexpr unsigned generations = 25;

// The answers to a client's recent requests. A new answer replaces any of them.
class session {
 public:
  explicit session(unsigned number) : random_(number), responses_(responses_per_session) {
    for (auto& each : responses_) make(each);
  }

  std::uint64_t serve(std::uint64_t requests) {
    std::uint64_t sum = 0;
    for (; requests != 0; --requests) {
      auto& replaced = responses_[random_.below(responses_per_session)];
      sum += lab::retire(replaced);
      make(replaced);
    }
    return sum;
  }

  std::uint64_t end() {
    std::uint64_t sum = 0;
    for (auto& each : responses_) sum += lab::retire(each);
    return sum;
  }

 private:
  using response = std::array<lab::sealed_block, blocks_per_response>;

  void make(response& made) {
    for (auto& block : made) {
      // Mostly small records, every eighth block a larger body.
      const std::uint64_t word = random_.word();
      const std::uint64_t mask = word >> 61 == 0 ? 511 : 63;
      const auto size = 16 + static_cast<std::uint32_t>(word >> 32 & mask);
      block = lab::sealed_block::create(size, word);
    }
  }

  lab::random_source random_;
  std::vector<response> responses_;
};

// One line of succession. Thread g first joins thread g-1, then works, then starts thread g+1. So g
// sees everything that g-1 wrote, including its successor's handle.
class lane {
 public:
  lane(unsigned number, const lab::options& options)
      : number_(number),
        threads_(options.threads),
        requests_(options.scaled(requests_per_session / generations)) {
    line_[0] = std::thread([this] { live(0); });
    first_is_known_.count_down();
  }

  std::uint64_t wait() {
    last_is_done_.wait();
    line_[generations - 1].join();
    return sum_;
  }

 private:
  void live(unsigned generation) {
    if (generation == 0) {
      first_is_known_.wait();  // the successor reads the handle of this thread
      for (unsigned n = number_; n < lab::task_count; n += threads_) {
        sessions_.emplace_back(n);
      }
    } else {
      line_[generation - 1].join();
    }
    for (auto& each : sessions_) sum_ += each.serve(requests_);
    if (generation + 1 < generations) {
      line_[generation + 1] = std::thread([this, generation] { live(generation + 1); });
    } else {
      for (auto& each : sessions_) sum_ += each.end();
      last_is_done_.count_down();
    }
  }

  const unsigned number_;
  const unsigned threads_;
  const std::uint64_t requests_;
  std::uint64_t sum_ = 0;
  std::vector<session> sessions_;
  std::thread line_[generations];
  std::latch first_is_known_{1};
  std::latch last_is_done_{1};
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  std::vector<std::unique_ptr<lane>> lanes;
  for (unsigned n = 0; n < options.threads; ++n) {
    lanes.push_back(std::make_unique<lane>(n, options));
  }
  std::uint64_t sum = 0;
  for (auto& each : lanes) sum += each->wait();
  return lab::finish(sum);
}
