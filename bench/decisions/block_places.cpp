// Decision 0023: what is allocated in order, and where in the cache it lies.
//
// usage: block_places           times of all variants and works, over those of the first variant
//        block_places HOME VARIANT WORK N   N rounds of one, for counting misses of the cache
//   HOME     region: VARIANT is how many blocks of a size are carved at once, to be had from the
//            back: 1 | 4 | 6 | 7 | 8 | 15 | 31
//            slab, 64 KiB of blocks of one size: whole | rows (seven, from the back) |
//            less-one (a block is left out)
//   WORK     ascending (a std::map of 32768 keys that come in order) | random (in none) |
//            list (a std::list of as many elements that is filled and read)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "home_allocator.hpp"
#include "region_designs.hpp"

namespace {

namespace regions = heapsmith::regions;

constexpr std::size_t memory_bytes = std::size_t{8} << 20;
constexpr int elements = 32768;

template <std::size_t Row>
class region_home {
 public:
  struct value {  // a node of std::map has 48 bytes, and with a header 64
    long n;
  };
  region_home() { region_->add_memory(memory_.at(), memory_.bytes()); }
  void* allocate(std::size_t bytes) { return region_->allocate(bytes); }
  void deallocate(void* p) { region_->deallocate(p); }

 private:
  using engine = regions::engine<regions::with_row<Row>>;
  regions::mapping memory_{memory_bytes};
  std::unique_ptr<engine> region_ = std::make_unique<engine>();
};

/// Blocks of one size, those of the first request, listed page by page as src/heap/slabs.cpp does.
template <std::size_t Row, std::size_t LeftOut>
class slab_home {
 public:
  struct value {  // a node of std::map has 64 bytes
    long n, more[2];
  };
  void* allocate(std::size_t bytes) {
    if (free_ == nullptr) carve((bytes + 15) / 16 * 16);
    link* const p = free_;
    free_ = p->next;
    return p;
  }
  void deallocate(void* p) { free_ = new (p) link{free_}; }

 private:
  struct link {
    link* next;
  };
  static constexpr std::size_t slab_bytes = 64 << 10, page_bytes = 4096;

  void carve(std::size_t bytes) {
    if (end_ - at_ < static_cast<std::ptrdiff_t>(bytes * (1 + LeftOut))) {
      if (end_ - static_cast<char*>(memory_.at()) == memory_bytes) abort();
      at_ = end_;
      end_ += slab_bytes;
    }
    const std::size_t in_slab = static_cast<std::size_t>(end_ - at_) / bytes - LeftOut;
    const std::size_t in_page =
        (page_bytes - reinterpret_cast<std::uintptr_t>(at_) % page_bytes) / bytes;
    const std::size_t n = std::min(std::max<std::size_t>(in_page / Row, 1) * Row, in_slab);
    link** to = &free_;
    for (std::size_t begin = 0; begin < n; begin += Row)
      for (std::size_t i = std::min(begin + Row, n); i-- > begin;) {
        *to = new (at_ + i * bytes) link{nullptr};
        to = &(*to)->next;
      }
    at_ += n * bytes;
  }

  regions::mapping memory_{memory_bytes};
  char *at_ = static_cast<char*>(memory_.at()), *end_ = at_;
  link* free_ = nullptr;
};

std::vector<int> shuffled() {
  std::vector<int> keys(elements);
  for (int i = 0; i < elements; ++i) keys[static_cast<std::size_t>(i)] = i;
  std::shuffle(keys.begin(), keys.end(), std::mt19937(7));
  return keys;
}

template <class Home>
void fill_list(Home& home) {
  std::list<long, home_allocator<long, Home>> list{home_allocator<long, Home>(home)};
  for (int i = 0; i < elements; ++i) list.push_back(i);
  long sum = 0;
  for (const long i : list) sum += i;
  if (sum != static_cast<long>(elements) * (elements - 1) / 2) abort();
}

template <class Home>
void fill_map(Home& home, const std::vector<int>* keys) {
  using value = typename Home::value;
  using node_allocator = home_allocator<std::pair<const long, value>, Home>;
  std::map<long, value, std::less<>, node_allocator> map{node_allocator(home)};
  for (int i = 0; i < elements; ++i) {
    const long key = keys == nullptr ? i : (*keys)[static_cast<std::size_t>(i)];
    map.emplace(key, value());
  }
  if (map.size() != elements) abort();
}

/// Returns: seconds. Each work has a home of its own, which stays from one round to the next.
template <class Home>
double one_round(std::string_view work) {
  using clock = std::chrono::steady_clock;
  static Home nodes, list;
  static const std::vector<int> keys = shuffled();
  const auto begin = clock::now();
  if (work == "list")
    fill_list(list);
  else
    fill_map(nodes, work == "random" ? &keys : nullptr);
  return std::chrono::duration<double>(clock::now() - begin).count();
}

struct contender {
  std::string_view home, variant;
  double (*round)(std::string_view);
};
constexpr contender contenders[] = {
    {"region", "1", one_round<region_home<1>>},   {"region", "4", one_round<region_home<4>>},
    {"region", "6", one_round<region_home<6>>},   {"region", "7", one_round<region_home<7>>},
    {"region", "8", one_round<region_home<8>>},   {"region", "15", one_round<region_home<15>>},
    {"region", "31", one_round<region_home<31>>}, {"slab", "whole", one_round<slab_home<1, 0>>},
    {"slab", "rows", one_round<slab_home<7, 0>>}, {"slab", "less-one", one_round<slab_home<1, 1>>}};

/// Prints the medians of the turns' ratios to the first of some contenders in the same turn.
void print_ratios(std::span<const contender> some, const char* work) {
  constexpr std::size_t turns = 41;
  std::vector<std::vector<double>> ratios(some.size());
  for (std::size_t turn = 0; turn < turns; ++turn) {
    double first = 0;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const double t = some[i].round(work);
      if (i == 0) first = t;
      ratios[i].push_back(t / first);
    }
  }
  printf("%-10s", work);
  for (std::vector<double>& r : ratios) {
    std::nth_element(r.begin(), r.begin() + turns / 2, r.end());
    printf("%9.2f", r[turns / 2]);
  }
  printf("\n");
}

void print_home(std::string_view home) {
  const auto in_home = [home](const contender& c) { return c.home == home; };
  const auto* const begin = std::find_if(std::begin(contenders), std::end(contenders), in_home);
  const auto* const end = std::find_if_not(begin, std::end(contenders), in_home);
  printf("%-10s", home.data());
  for (const auto* c = begin; c != end; ++c) printf("%9s", c->variant.data());
  printf("\n");
  for (const char* const work : {"ascending", "random", "list"}) print_ratios({begin, end}, work);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5) {
    for (const contender& c : contenders)
      if (c.home == argv[1] && c.variant == argv[2]) {
        for (unsigned long n = strtoul(argv[4], nullptr, 10); n > 0; --n) c.round(argv[3]);
        return 0;
      }
    return fputs("usage: block_places [HOME VARIANT WORK ROUNDS]\n", stderr), 2;
  }
  print_home("region");
  print_home("slab");
}
