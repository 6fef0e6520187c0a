// advice-reserve: the columns of a table grow row by row, each to twice its capacity when it is
// full, although the number of rows is known before. The advice "reserve the final size" is right.
//
// advice-reserve-short must not get the advice. The same line resizes the same columns, but each
// begins with a good estimate of its final size and grows twice at most. An exact size would save
// next to nothing.

#include "advice.hpp"

namespace {

using lab::advice::hidden;
using lab::advice::is_counterpart;

constexpr double table_count = 5600;
constexpr unsigned columns_per_table = 6;
constexpr unsigned first_capacity = 16;
constexpr unsigned fewest_rows = 2000;
constexpr unsigned row_counts = 4000;
constexpr unsigned alive_count = 4;  // several tables live, and a random one ends

using value = std::uint32_t;

class column {
 public:
  // Not inlined, so that the program has one call of realloc for all columns.
  [[gnu::noinline]] void reserve(std::size_t capacity) {
    capacity_ = capacity;
    values_ = hidden(static_cast<value*>(std::realloc(values_, capacity * sizeof(value))));
  }

  void append(value next) {
    if (size_ == capacity_) [[unlikely]]
      reserve(capacity_ == 0 ? first_capacity : 2 * capacity_);
    values_[size_++] = next;
  }

  // Frees the values. Returns their checksum.
  std::uint64_t finish() {
    std::uint64_t sum = size_;
    for (std::size_t i = 0; i < size_; i += 8) sum = sum * 3 + values_[i];
    std::free(values_);
    *this = {};
    return sum;
  }

 private:
  value* values_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

struct table {
  column columns[columns_per_table];

  std::uint64_t finish() {
    std::uint64_t sum = 0;
    for (column& each : columns) sum += each.finish();
    return sum;
  }
};

template <bool Advised>
void fill(table& empty, lab::random_source& random) {
  const std::uint32_t rows = fewest_rows + random.below(row_counts);
  for (column& each : empty.columns) {
    if (Advised) each.reserve(rows);
    // From a third of the rows to all of them.
    if (is_counterpart) each.reserve(rows - random.below(rows * 2 / 3));
  }
  std::uint32_t state = static_cast<std::uint32_t>(random.word());
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (column& each : empty.columns) {
      state = state * 1664525u + row;
      each.append(state);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return lab::advice::demonstrate(argc, argv, table_count, [](auto advised, std::uint64_t tables) {
    lab::random_source random(0);
    table alive[alive_count];
    std::uint64_t sum = 0;
    for (; tables != 0; --tables) {
      table& turn = alive[random.below(alive_count)];
      sum += turn.finish();
      fill<advised>(turn, random);
    }
    for (table& each : alive) sum += each.finish();
    return sum;
  });
}
