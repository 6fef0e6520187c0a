// Workload sparse-tables: large zeroed tables of which few entries are used.
//
// Idea: page tables of emulators, card tables and mark bitmaps of collectors, and hash tables with
// room to grow: Bonwick and Adams, "Magazines and vmem", USENIX ATC 2001, and the collectors in
// Jones, Hosking and Moss, "The garbage collection handbook", 2012, rely on zeroed memory that
// costs nothing until it is used. The workload uses 40 entries of each table. So memory and time go
// to what the allocator does to the rest.

#include "workload.hpp"

namespace {

constexpr double tables_per_task = 5;
constexpr std::size_t smallest = 1 << 20;
constexpr std::size_t largest = std::size_t{31} << 20;
constexpr unsigned entries = 40;

class table {
 public:
  table(std::size_t words, std::uint64_t seed)
      : words_(words),
        seed_(seed),
        data_(static_cast<std::uint64_t*>(std::calloc(words, sizeof(std::uint64_t)))) {
    if (data_ == nullptr) lab::fail("no table");
    for (unsigned i = 0; i < entries; ++i) {
      if (entry(i) != 0) lab::fail("calloc returned a table that is not zero");
      entry(i) = seed_ + i;
    }
    data_[words_ - 1] = seed_;
  }

  std::uint64_t retire() const {
    for (unsigned i = 0; i < entries; ++i)
      if (entry(i) != seed_ + i) lab::fail("a table changed while it was in use");
    if (data_[words_ - 1] != seed_) lab::fail("a table changed while it was in use");
    std::free(data_);
    return seed_ + words_;
  }

 private:
  // Entry i lies in the i-th part of the table.
  std::uint64_t& entry(unsigned i) const { return data_[words_ / entries * i]; }

  std::size_t words_;
  std::uint64_t seed_;
  std::uint64_t* data_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t tables = options.scaled(tables_per_task);
  return lab::finish(lab::run_lanes(options.threads, [&](unsigned lane) {
    std::uint64_t sum = 0;
    for (unsigned n = lane; n < lab::task_count; n += options.threads) {
      lab::random_source random(n);
      std::vector<table> made;
      for (std::uint64_t i = 0; i < tables; ++i) {
        const std::size_t bytes = smallest + random.below(largest - smallest);
        made.emplace_back(bytes / sizeof(std::uint64_t), random.word());
      }
      for (const table& each : made) sum += each.retire();
    }
    return sum;
  }));
}
