// What an allocator can gain when a std::map is filled in order: times over glibc's.
//
// usage: map_bound
//   malloc  glibc's
//   lists   what an allocator does at least: a list for each size, and memory that is used up from
//           its beginning. Nothing is checked, counted or joined, and there are no headers
//   region  hs_region
#include <heapsmith/region.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <map>
#include <memory>
#include <vector>

#include "home_allocator.hpp"

namespace {

constexpr std::size_t memory_bytes = std::size_t{4} << 20;
constexpr int turns = 501;

struct glibc {
  void* allocate(std::size_t bytes) { return malloc(bytes); }
  void deallocate(void* p, std::size_t) { free(p); }
};

class lists {
 public:
  void* allocate(std::size_t bytes) {
    void*& head = heads_[steps(bytes)];
    if (head == nullptr) {
      at_ += steps(bytes) * step;
      return at_ - steps(bytes) * step;
    }
    void* const p = head;
    head = *static_cast<void**>(p);
    return p;
  }
  void deallocate(void* p, std::size_t bytes) {
    void*& head = heads_[steps(bytes)];
    *static_cast<void**>(p) = head;
    head = p;
  }

 private:
  static constexpr std::size_t step = 16;
  static std::size_t steps(std::size_t bytes) { return (bytes + step + step / 2 - 1) / step; }

  std::unique_ptr<char[]> memory_ = std::make_unique<char[]>(memory_bytes);
  char* at_ = memory_.get();
  void* heads_[64] = {};
};

class region {
 public:
  region() { hs_region_init(&region_, memory_.get(), memory_bytes); }
  void* allocate(std::size_t bytes) { return hs_region_malloc(&region_, bytes); }
  void deallocate(void* p, std::size_t) { hs_region_free(&region_, p); }

 private:
  std::unique_ptr<char[]> memory_ = std::make_unique<char[]>(memory_bytes);
  hs_region region_ = {};
};

/// Returns: seconds for the insertions. The memory stays from one round to the next.
template <class Home>
double one_round(long elements) {
  using clock = std::chrono::steady_clock;
  using node_allocator = home_allocator<std::pair<const long, long>, Home>;
  static Home home;
  std::map<long, long, std::less<>, node_allocator> map{node_allocator(home)};
  const auto begin = clock::now();
  for (long key = 0; key < elements; ++key) map.insert({key, key});
  const auto end = clock::now();
  if (map.size() != static_cast<std::size_t>(elements)) abort();
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

int main() {
  mallopt(M_TRIM_THRESHOLD, -1);  // as in the suite: no OS page comes or goes in between
  printf("%-8s %9s %9s %9s\n", "keys", "malloc", "lists", "region");
  for (const long elements : {1024, 2048, 4096, 8192}) {
    std::vector<double> of_lists, of_region;
    for (int turn = 0; turn < turns; ++turn) {
      const double first = one_round<glibc>(elements);
      of_lists.push_back(one_round<lists>(elements) / first);
      of_region.push_back(one_round<region>(elements) / first);
    }
    for (auto* ratios : {&of_lists, &of_region})
      std::nth_element(ratios->begin(), ratios->begin() + turns / 2, ratios->end());
    printf("%-8ld %9.2f %9.2f %9.2f\n", elements, 1.0, of_lists[turns / 2], of_region[turns / 2]);
  }
}
