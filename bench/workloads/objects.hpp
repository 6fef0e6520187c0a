// objects-BYTES-trivial and objects-BYTES-dtor: objects are made, summed up and ended. The first
// round maps the memory; the medians of the other rounds are reported, per object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/buffer.hpp"
#include "support/measure.hpp"
#include "support/report.hpp"
#include "support/suite.hpp"

namespace bench {

/// The sum of the numbers of all destroyed objects.
inline std::uint64_t destroyed_sum = 0;

/// An object whose words all equal its number.
template <std::size_t Bytes>
struct trivial_object {
  explicit trivial_object(std::uint32_t number) {
    for (std::uint32_t& word : words) word = number;
  }
  std::uint32_t words[Bytes / sizeof(std::uint32_t)];
};

template <std::size_t Bytes>
struct destroyed_object : trivial_object<Bytes> {
  using trivial_object<Bytes>::trivial_object;
  ~destroyed_object() { destroyed_sum += this->words[0]; }
};

struct object_counts {
  std::size_t objects;
  unsigned rounds;  // that are reported
};

template <class Contender, class Object>
class object_work {
  using memory = typename Contender::objects;

 public:
  explicit object_work(object_counts counts)
      : counts_(counts),
        // Entries for destructors take room too: at most 16 bytes each.
        buffer_(counts.objects * (sizeof(Object) + (is_trivial ? 0 : 16)) + (1 << 20)),
        memory_(buffer_.memory()),
        objects_(counts.objects) {}

  void run(report& report, unsigned threads) {
    std::vector<double> made, iterated, ended;
    stopwatch watch;
    for (unsigned round = 0; round <= counts_.rounds; ++round) {
      watch.start();
      make();
      watch.stop();
      made.push_back(watch.take());
      check();
      watch.start();
      const std::uint64_t sum = iterate();
      watch.stop();
      iterated.push_back(watch.take());
      destroyed_sum = 0;
      watch.start();
      end();
      watch.stop();
      ended.push_back(watch.take());
      expect(sum == expected(), "the sum over the objects is wrong");
      expect(destroyed_sum == (is_trivial ? 0 : expected()), "destructors did not run once each");
      if (round == 0) made.clear(), iterated.clear(), ended.clear();
    }
    const double per_object = 1e9 / static_cast<double>(counts_.objects);
    report.value("alloc_ns", "threads", threads, median(made) * per_object);
    report.value("iterate_ns", "threads", threads, median(iterated) * per_object);
    report.value("destroy_ns", "threads", threads, median(ended) * per_object);
    report.answer(expected());
  }

 private:
  static constexpr bool is_trivial = std::is_trivially_destructible_v<Object>;

  std::uint64_t expected() const { return counts_.objects * (counts_.objects - 1) / 2; }

  // Separate functions, since GCC treats code that main calls once as cold. Unrolled, since a loop
  // of more than 64 bytes takes one cycle more per turn, of the three that an object of 64 bytes
  // costs; the size of a loop is not the merit of an allocator.
  [[gnu::noinline]] void make() {
    std::uint32_t number = 0;
#pragma GCC unroll 8
    for (Object*& each : objects_) each = memory_.template make<Object>(number++);
    keep(objects_);
  }

  [[gnu::noinline]] std::uint64_t iterate() const {
    std::uint64_t sum = 0;
    for (const Object* each : objects_) sum += each->words[0];
    return sum;
  }

  [[gnu::noinline]] void end() {
    memory_.end(std::span(objects_));
    keep(objects_);
  }

  void check() const {
    std::uint32_t number = 0;
    for (const Object* each : objects_) {
      for (const std::uint32_t word : each->words)
        expect(word == number, "an object changed while it was alive");
      ++number;
    }
  }

  object_counts counts_;
  buffer buffer_;
  memory memory_;
  std::vector<Object*> objects_;
};

template <class Contender, class Object, object_counts (*Counts)(const request&)>
void run_objects(const request& wanted, report& report) {
  object_work<Contender, Object>(Counts(wanted)).run(report, wanted.threads);
}

template <class Contender, std::size_t Bytes, object_counts (*Counts)(const request&)>
entry trivial_entry() {
  return make_entry<Contender>("objects-" + std::to_string(Bytes) + "-trivial", {1},
                               run_objects<Contender, trivial_object<Bytes>, Counts>);
}

template <class Contender, std::size_t Bytes, object_counts (*Counts)(const request&)>
entry destroyed_entry() {
  return make_entry<Contender>("objects-" + std::to_string(Bytes) + "-dtor", {1},
                               run_objects<Contender, destroyed_object<Bytes>, Counts>);
}

}  // namespace bench
