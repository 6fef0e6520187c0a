// advice-scope: a recursive evaluation, in which each call takes four temporary arrays and frees
// them in the reverse order when it returns. All lives nest, so that the advice "use a scope" is
// right. A buffer does not fit: the calls below a call take arrays while its own ones live.
//
// advice-scope-queue must not get the advice. The same line makes the same arrays, but a call hands
// them to a queue when it returns, and the oldest array of the queue is freed first. The queue is
// never empty. A scope would free the newest array first, while the queue still needs it. An arena
// would never come to a point at which it can free its memory.

#include "heapsmith/scope.hpp"
#include "advice.hpp"
#include "heapsmith/arena.hpp"

namespace {

using lab::advice::hidden;
using lab::advice::is_counterpart;

constexpr double tree_count = 3800;
constexpr unsigned depth = 7;
constexpr unsigned arrays_per_call = 4;
constexpr unsigned shortest = 100;  // an array's room in words
constexpr unsigned lengths = 80;
constexpr unsigned read_again = 100;  // words of each array
constexpr unsigned queue_length = 500;

using word = std::uint64_t;

// Arrays that wait for a reader, who takes the oldest first.
class array_queue {
 public:
  void push(word* array) {
    word*& oldest = slots_[next_++ % queue_length];
    if (oldest != nullptr) read(oldest);
    oldest = array;
  }

  // Reads the arrays that still wait. Returns the sum of what was read.
  std::uint64_t finish() {
    for (unsigned i = 0; i < queue_length; ++i) {
      word*& oldest = slots_[next_++ % queue_length];
      if (oldest != nullptr) read(oldest);
      oldest = nullptr;
    }
    return sum_;
  }

 private:
  void read(word* array) {
    sum_ += array[0];
    std::free(array);
  }

  word* slots_[queue_length] = {};
  std::uint64_t next_ = 0;
  std::uint64_t sum_ = 0;
};

array_queue results;

// The arrays of one call on the heap, with the functions of heapsmith::scope that this program
// calls.
class heap_level {
 public:
  heap_level() = default;
  heap_level(const heap_level&) = delete;
  heap_level& operator=(const heap_level&) = delete;
  ~heap_level() {
    while (count_ != 0) {
      word* const newest = blocks_[--count_];
      if constexpr (is_counterpart)
        results.push(newest);
      else
        std::free(newest);
    }
  }

  heap_level child() { return {}; }

  void* allocate(std::size_t bytes) {
    return blocks_[count_++] = hidden(static_cast<word*>(std::malloc(bytes)));
  }

 private:
  unsigned count_ = 0;
  word* blocks_[arrays_per_call];
};

class evaluation {
 public:
  explicit evaluation(std::uint64_t seed) : random_(seed) {}

  template <class Level>
  std::uint64_t evaluate(Level& outer, unsigned levels) {
    auto level = outer.child();
    word* arrays[arrays_per_call];
    for (word*& array : arrays) {
      const std::size_t room = shortest + random_.below(lengths);
      array = static_cast<word*>(level.allocate(room * sizeof(word)));
      fill(array, room, random_.word());
    }
    std::uint64_t value = levels;
    if (levels != 0) {
      value += evaluate(level, levels - 1);
      value ^= evaluate(level, levels - 1);
    }
    for (const word* array : arrays) value = fold(array, value);
    return value;
  }

 private:
  static void fill(word* array, std::size_t room, word first) {
    for (std::size_t i = 0; i < room; ++i) array[i] = first + i * (first | 1);
  }

  static std::uint64_t fold(const word* array, std::uint64_t value) {
    for (unsigned i = 0; i < read_again; ++i) value += array[i] ^ i;
    return lab::mix(value);
  }

  lab::random_source random_;
};

}  // namespace

int main(int argc, char** argv) {
  return lab::advice::demonstrate(argc, argv, tree_count, [](auto advised, std::uint64_t trees) {
    std::uint64_t sum = 0;
    heapsmith::arena<> memory;
    for (; trees != 0; --trees) {
      evaluation tree(trees);
      if constexpr (advised) {
        heapsmith::scope<> level(memory, "tree");
        sum += tree.evaluate(level, depth);
      } else {
        heap_level level;
        sum += tree.evaluate(level, depth);
      }
    }
    return sum + results.finish();
  });
}
