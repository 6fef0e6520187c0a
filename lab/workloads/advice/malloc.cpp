// advice-malloc: a server of four threads. Each message has six blocks from six lines, with sizes
// and lives of all kinds, and mostly another thread than the one that made a block frees it. No
// line stands out, so that no change of a line pays. The advice "use another malloc" is right where
// the malloc at hand is slow when blocks change threads.

#include <barrier>

#include "advice.hpp"

namespace {

using lab::advice::hidden;

constexpr unsigned thread_count = 4;
constexpr double round_count = 150;
constexpr unsigned messages_per_task = 200;  // a multiple of the next number
constexpr unsigned answered_per_round = 100;

template <class T>
struct part {
  T* words = nullptr;
  std::uint32_t count = 0;

  void fill(T first) {
    for (std::uint32_t i = 0; i < count; ++i) words[i] = static_cast<T>(first + i);
  }

  std::uint64_t finish() {
    std::uint64_t sum = count;
    for (std::uint32_t i = 0; i < count; ++i) sum = sum * 3 + static_cast<std::uint64_t>(words[i]);
    std::free(words);
    return sum;
  }
};

template <class T>
T* as(void* block) {
  return hidden(static_cast<T*>(block));
}

struct message {
  part<std::uint64_t> header;
  part<char> key;
  part<std::uint64_t> body;
  part<std::uint32_t> fields;
  part<char> reply;
  part<std::uint64_t> trace;

  void fill(lab::random_source& random) {
    const std::uint64_t seed = random.word();
    header.count = 5 + random.below(12);
    header.words = as<std::uint64_t>(std::malloc(header.count * 8));
    key.count = 8 + random.below(40);
    key.words = as<char>(std::malloc(key.count));
    body.count = 4 + random.below(4 << random.below(6));
    body.words = as<std::uint64_t>(std::malloc(body.count * 8));
    fields.count = 2 + random.below(50);
    fields.words = as<std::uint32_t>(std::malloc(fields.count * 4));
    reply.count = 20 + random.below(80);
    reply.words = as<char>(std::malloc(reply.count));
    trace.count = 2 + random.below(24);
    trace.words = as<std::uint64_t>(std::malloc(trace.count * 8));
    header.fill(seed);
    key.fill(static_cast<char>(seed));
    body.fill(seed >> 8);
    fields.fill(static_cast<std::uint32_t>(seed));
    reply.fill(static_cast<char>(seed));
    trace.fill(seed >> 16);
  }

  std::uint64_t finish() {
    return trace.finish() ^ reply.finish() ^ fields.finish() ^ body.finish() ^ key.finish() ^
           header.finish();
  }
};

// The messages of one task. In each round another thread serves them.
class task {
 public:
  explicit task(unsigned number) : random_(number), messages_(messages_per_task) {}

  // Answers the oldest messages, then receives as many new ones.
  void serve() {
    const std::span batch(messages_.data() + oldest_, answered_per_round);
    for (message& each : batch) sum_ += each.finish();
    for (message& each : batch) each.fill(random_);
    oldest_ = (oldest_ + answered_per_round) % messages_per_task;
  }

  std::uint64_t finish() {
    for (message& each : messages_) sum_ += each.finish();
    return sum_;
  }

 private:
  lab::random_source random_;
  std::vector<message> messages_;
  unsigned oldest_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv, {.threads = thread_count});
  const std::uint64_t rounds = options.scaled(round_count);
  std::vector<task> tasks;
  tasks.reserve(lab::task_count);
  for (unsigned n = 0; n < lab::task_count; ++n) tasks.emplace_back(n);
  std::barrier round_end(options.threads);
  lab::run_lanes(options.threads, [&](unsigned lane) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (unsigned n = 0; n < lab::task_count; ++n) {
        if ((n + round) % options.threads == lane) tasks[n].serve();
      }
      round_end.arrive_and_wait();
    }
    return 0;
  });
  std::uint64_t sum = 0;
  for (task& each : tasks) sum += each.finish();
  return lab::finish(sum);
}
