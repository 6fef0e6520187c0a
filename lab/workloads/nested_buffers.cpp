// Workload nested-buffers: buffers of 4 to 16 KiB are freed in the reverse order of allocation.
//
// Idea: readers of nested documents and archives, and walks over folders, in which each level of a
// recursion has a buffer until it returns. Hanson, "Fast allocation and deallocation of memory
// based on object lifetimes", Software: Practice and Experience 1990, describes such lifetimes.
// Buffers of this size fill a slab, or a page, quickly. So the time goes to the change from one to
// the next.

#include "workload.hpp"

namespace {

constexpr double walks_per_task = 300;
constexpr unsigned deepest = 64;
constexpr std::uint32_t sizes[] = {8192, 8192, 8192, 4096, 6000, 12000, 16384};

class task {
 public:
  explicit task(unsigned number) : random_(number) {}

  // Goes down to some depth, with steps back on the way.
  std::uint64_t walk(unsigned depth) {
    const std::uint32_t size = sizes[random_.below(std::size(sizes))];
    const auto buffer = lab::ended_block::create(size, random_.word());
    std::uint64_t sum = 0;
    if (depth > 1) sum += walk(depth - 1);
    // One level in eight has a second, small subtree.
    if (depth > 1 && random_.below(8) == 0) sum += walk(1 + depth / 8);
    return sum + buffer.retire();
  }

 private:
  lab::random_source random_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t walks = options.scaled(walks_per_task);
  return lab::finish(lab::run_lanes(options.threads, [&](unsigned lane) {
    std::uint64_t sum = 0;
    for (unsigned n = lane; n < lab::task_count; n += options.threads) {
      task walker(n);
      for (std::uint64_t i = 0; i < walks; ++i) sum += walker.walk(deepest);
    }
    return sum;
  }));
}
