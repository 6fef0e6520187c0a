// advice-none: a simulation on a grid. On the way it allocates as the other demonstrations do, a
// few thousand times: keys, nested arrays, a tree, a growing array and nodes with random lives. All
// of that takes far less than 1 % of the time and of the peak, so that no change of a line pays.

#include "advice.hpp"

namespace {

using lab::advice::hidden;

constexpr double round_count = 250;
constexpr std::size_t word_count = 32 << 10;
constexpr unsigned steps_per_round = 15;
constexpr unsigned node_count = 16;

using word = std::uint64_t;

// Words that mix with their neighbours in each step.
class grid {
 public:
  grid() : words_(word_count) {
    lab::random_source random(0);
    for (word& each : words_) each = random.word();
  }

  word step() {
    word carry = words_.back();
    word sum = 0;
    for (word& each : words_) {
      const word old = each;
      each = lab::mix(lab::mix(lab::mix(old ^ (old << 1) ^ (carry >> 63))));
      sum += each;
      carry = old;
    }
    return sum;
  }

 private:
  std::vector<word> words_;
};

// As advice-buffer.
word hash_key(word number) {
  char* const key = hidden(static_cast<char*>(std::malloc(24)));
  const int length = std::snprintf(key, 24, "%llu", static_cast<unsigned long long>(number));
  word hash = 0;
  for (int i = 0; i < length; ++i) hash = hash * 31 + static_cast<unsigned char>(key[i]);
  std::free(key);
  return hash;
}

// As advice-scope.
word evaluate(word seed, unsigned levels) {
  const std::size_t count = 4 + seed % 16;
  word* const numbers = hidden(static_cast<word*>(std::malloc(count * sizeof(word))));
  for (std::size_t i = 0; i < count; ++i) numbers[i] = seed + i;
  word sum = levels == 0 ? 0 : evaluate(lab::mix(seed), levels - 1);
  for (std::size_t i = 0; i < count; ++i) sum = sum * 3 + numbers[i];
  std::free(numbers);
  return sum;
}

// As advice-arena.
word build_list(word seed) {
  struct node {
    node* next;
    word number;
  };
  node* first = nullptr;
  node** last = &first;
  for (unsigned i = 0; i < 4; ++i) {
    const std::size_t bytes = sizeof(node) + (seed + i) % 40;
    node* const made = new (hidden(std::malloc(bytes))) node{nullptr, seed + i};
    *last = made;
    last = &made->next;
  }
  word sum = 0;
  while (first != nullptr) {
    node* const old = first;
    first = old->next;
    sum = sum * 3 + old->number;
    std::free(old);
  }
  return sum;
}

// As advice-reserve.
word grow(word seed) {
  word* numbers = nullptr;
  std::size_t capacity = 0;
  for (std::size_t size = 0; size < 60; ++size) {
    if (size == capacity) {
      capacity = capacity == 0 ? 8 : 2 * capacity;
      numbers = hidden(static_cast<word*>(std::realloc(numbers, capacity * sizeof(word))));
    }
    numbers[size] = seed + size;
  }
  const word sum = numbers[seed % 60];
  std::free(numbers);
  return sum;
}

// As advice-pool.
class nodes {
 public:
  word replace(word seed) {
    word*& slot = slots_[seed % node_count];
    const word sum = slot == nullptr ? 0 : *slot;
    std::free(slot);
    slot = hidden(static_cast<word*>(std::malloc(48)));
    *slot = seed;
    return sum;
  }

  void clear() {
    for (word* each : slots_) std::free(each);
  }

 private:
  word* slots_[node_count] = {};
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  if (options.threads != 1) lab::fail("this program works with one thread");
  grid cells;
  nodes living;
  word sum = 0;
  for (std::uint64_t rounds = options.scaled(round_count); rounds != 0; --rounds) {
    word seed = 0;
    for (unsigned i = 0; i < steps_per_round; ++i) seed += cells.step();
    sum = lab::mix(sum + hash_key(seed) + evaluate(seed, 3) + build_list(seed) + grow(seed) +
                   living.replace(seed));
  }
  living.clear();
  return lab::finish(sum);
}
