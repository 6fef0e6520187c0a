// Decision 0023: how many blocks of a size does a region carve at once?
//
// usage: region_rows            times of all rows and works, over those of single blocks
//        region_rows ROW WORK N N rounds of one, for counting misses of the cache
//   ROW   1 | 4 | 6 | 7 | 8 | 15 | 31
//   WORK  ascending (a std::map of 32768 keys that come in order) | random (in none) |
//         list (a std::list of as many elements that is filled and read)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "region_designs.hpp"

namespace {

namespace regions = heapsmith::regions;

constexpr std::size_t memory_bytes = std::size_t{8} << 20;
constexpr int elements = 32768;

/// A standard allocator over a region of one design.
template <class T, class Frame>
struct allocator {
  using value_type = T;
  template <class Other>
  struct rebind {
    using other = allocator<Other, Frame>;
  };

  regions::engine<Frame>* region;

  explicit allocator(regions::engine<Frame>& r) : region(&r) {}
  template <class Other>
  allocator(const allocator<Other, Frame>& other) : region(other.region) {}
  [[gnu::noinline]] T* allocate(std::size_t count) {
    return static_cast<T*>(region->allocate(count * sizeof(T)));
  }
  [[gnu::noinline]] void deallocate(T* p, std::size_t) { region->deallocate(p); }
  bool operator==(const allocator&) const = default;
};

std::vector<int> shuffled() {
  std::vector<int> keys(elements);
  for (int i = 0; i < elements; ++i) keys[static_cast<std::size_t>(i)] = i;
  std::shuffle(keys.begin(), keys.end(), std::mt19937(7));
  return keys;
}

template <class Frame>
class trial {
 public:
  trial() { region_->add_memory(memory_.at(), memory_.bytes()); }

  /// Returns: seconds until all elements are there. A list is read, too.
  double round(std::string_view work) {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(clock::now() - begin).count();
    };
    if (work == "list") {
      std::list<long, allocator<long, Frame>> list{allocator<long, Frame>(*region_)};
      for (int i = 0; i < elements; ++i) list.push_back(i);
      long sum = 0;
      for (const long i : list) sum += i;
      if (sum != static_cast<long>(elements) * (elements - 1) / 2) abort();
      return seconds();
    }
    using node = allocator<std::pair<const long, long>, Frame>;
    std::map<long, long, std::less<>, node> map{node(*region_)};
    if (work == "random")
      for (const int key : keys_) map.emplace(key, key);
    else
      for (int key = 0; key < elements; ++key) map.emplace(key, key);
    if (map.size() != elements) abort();
    return seconds();
  }

 private:
  regions::mapping memory_{memory_bytes};
  std::unique_ptr<regions::engine<Frame>> region_ = std::make_unique<regions::engine<Frame>>();
  std::vector<int> keys_ = shuffled();
};

template <std::size_t Row>
double one_round(std::string_view work) {
  static trial<regions::with_row<Row>> t;
  return t.round(work);
}

struct contender {
  std::size_t row;
  double (*round)(std::string_view);
};
constexpr contender contenders[] = {{1, one_round<1>},  {4, one_round<4>}, {6, one_round<6>},
                                    {7, one_round<7>},  {8, one_round<8>}, {15, one_round<15>},
                                    {31, one_round<31>}};
constexpr const char* works[] = {"ascending", "random", "list"};

/// The median of the turns' ratios to the first contender of the same turn.
std::vector<double> ratios(const char* work) {
  constexpr std::size_t turns = 41;
  std::vector<std::vector<double>> all(std::size(contenders));
  for (std::size_t turn = 0; turn < turns; ++turn) {
    double first = 0;
    for (std::size_t i = 0; i < std::size(contenders); ++i) {
      const double t = contenders[i].round(work);
      if (i == 0) first = t;
      all[i].push_back(t / first);
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& r : all) {
    std::nth_element(r.begin(), r.begin() + turns / 2, r.end());
    medians.push_back(r[turns / 2]);
  }
  return medians;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4) {
    for (const contender& c : contenders)
      if (c.row == strtoul(argv[1], nullptr, 10)) {
        for (unsigned long n = strtoul(argv[3], nullptr, 10); n > 0; --n) c.round(argv[2]);
        return 0;
      }
    return fputs("usage: region_rows [ROW WORK ROUNDS]\n", stderr), 2;
  }
  printf("%-10s", "row");
  for (const contender& c : contenders) printf("%7zu", c.row);
  for (const char* const work : works) {
    printf("\n%-10s", work);
    for (const double r : ratios(work)) printf("%7.2f", r);
  }
  printf("\n");
}
