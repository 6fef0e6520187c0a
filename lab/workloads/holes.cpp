// Workload holes: blocks of 100 KB are wanted among free holes of 40 KB.
//
// Idea: caches of tiles, pages or packets of one size, half of them evicted, and then larger
// objects in the same process. Wilson, Johnstone, Neely and Boles, "Dynamic storage allocation: a
// survey and critical review", IWMM 1995, describe the search among many holes that are all too
// small. The workload touches the ends of its blocks only. So the time goes to the search, if an
// allocator searches for such blocks, and shows how its cost grows with the number of holes.

#include "workload.hpp"

namespace {

using lab::ended_block;

constexpr double holes_per_task = 100;
constexpr double large_per_task = 250;
constexpr std::uint32_t tile_size = 40'000;
constexpr std::uint32_t large_size = 100'000;
constexpr unsigned held_at_once = 10;

class task {
 public:
  explicit task(unsigned number) : random_(number) {}

  void fill(std::uint64_t tiles) {
    for (std::uint64_t i = 0; i < 2 * tiles; ++i)
      tiles_.push_back(ended_block::create(tile_size, random_.word()));
  }

  std::uint64_t evict_half() {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < tiles_.size(); i += 2) sum += tiles_[i].retire();
    for (std::size_t i = 0; i < tiles_.size() / 2; ++i) tiles_[i] = tiles_[2 * i + 1];
    tiles_.resize(tiles_.size() / 2);
    return sum;
  }

  std::uint64_t work(std::uint64_t blocks) {
    std::uint64_t sum = 0;
    ended_block held[held_at_once] = {};
    for (std::uint64_t i = 0; i < blocks; ++i) {
      ended_block& slot = held[random_.below(held_at_once)];
      if (slot.data != nullptr) sum += slot.retire();
      slot = ended_block::create(large_size + random_.below(large_size), random_.word());
    }
    for (const ended_block& each : held)
      if (each.data != nullptr) sum += each.retire();
    return sum;
  }

  std::uint64_t end() {
    std::uint64_t sum = 0;
    for (const ended_block& each : tiles_) sum += each.retire();
    return sum;
  }

 private:
  lab::random_source random_;
  std::vector<ended_block> tiles_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t holes = options.scaled(holes_per_task);
  const std::uint64_t large = options.scaled(large_per_task);
  return lab::finish(lab::run_lanes(options.threads, [&](unsigned lane) {
    std::vector<task> tasks;
    for (unsigned n = lane; n < lab::task_count; n += options.threads) tasks.emplace_back(n);
    std::uint64_t sum = 0;
    for (auto& each : tasks) each.fill(holes);
    for (auto& each : tasks) sum += each.evict_half();
    for (auto& each : tasks) sum += each.work(large);
    for (auto& each : tasks) sum += each.end();
    return sum;
  }));
}
