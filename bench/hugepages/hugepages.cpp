// The suite `hugepages`: what huge pages give to large programs, and what they cost.
//
// usage: hugepages [--threads 1] walk MIB STEPS    a random walk over MIB of live nodes
//        hugepages [--threads 1] large MIB STEPS   large blocks are replaced at random, all touched
//        hugepages [--threads 1] sparse MIB        large blocks, of which one OS page in 8 is
//        touched hugepages [--threads 1] after-peak MIB    15 of 16 nodes are freed, then little
//        work
//
// --quick as the last word: a quarter of all this.
//
// The program `hugepages-asked` is the same with a string of settings: heapsmith is to ask for huge
// pages.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "support/random.hpp"
#include "support/report.hpp"
#include "support/resident.hpp"

#ifdef BENCH_ASKS
extern "C" [[gnu::visibility("default")]] const char hs_settings[];
extern "C" const char hs_settings[] = "huge_pages=1";
#endif

namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
constexpr std::size_t os_page = 4 * KiB;

double seconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void print(const char* metric, double value) {
  std::printf("value %s %.9g\n", metric, value);
}

void print_memory(std::uint64_t before, std::uint64_t used) {
  const std::uint64_t now = bench::resident_bytes();
  print("rss_per_byte",
        static_cast<double>(now - std::min(now, before)) / static_cast<double>(used));
}

// A node of a graph, a tree or a hash table: 64 to 256 bytes, whose rest is filled. The first and
// the last word are compared with what they must be.
struct node {
  node* next;
  std::uint64_t size, seal;
};

node* new_node(bench::random_words& random) {
  const std::size_t size = 64 + 16 * random.below(13);
  auto* n = static_cast<node*>(std::malloc(size));
  bench::expect(n != nullptr, "malloc returned no block");
  n->size = size;
  n->seal = random.word();
  std::memset(n + 1, 1, size - sizeof(node) - 8);
  std::memcpy(reinterpret_cast<char*>(n) + size - 8, &n->seal, 8);
  return n;
}

std::uint64_t checked(const node* n) {
  std::uint64_t last = 0;
  std::memcpy(&last, reinterpret_cast<const char*>(n) + n->size - 8, 8);
  bench::expect(last == n->seal, "a block changed while it was in use");
  return last;
}

std::size_t fill(bench::mapped_array<node*>& nodes, std::size_t bytes,
                 bench::random_words& random) {
  std::size_t count = 0;
  for (std::size_t used = 0; used < bytes; ++count) {
    nodes[count] = new_node(random);
    used += nodes[count]->size;
  }
  return count;
}

void walk(std::size_t bytes, std::size_t steps, bench::report& report) {
  bench::mapped_array<node*> nodes(bytes / 64);
  bench::random_words random(1);
  const std::uint64_t before = bench::resident_bytes();
  double begin = seconds();
  const std::size_t count = fill(nodes, bytes, random);
  print("alloc_ns", (seconds() - begin) * 1e9 / static_cast<double>(count));
  print_memory(before, bytes);
  // One cycle through all nodes, in random order.
  for (std::size_t i = count; i > 1; --i) std::swap(nodes[i - 1], nodes[random.below(i)]);
  for (std::size_t i = 0; i < count; ++i) nodes[i]->next = nodes[(i + 1) % count];
  const node* at = nodes[0];
  begin = seconds();
  for (std::size_t i = 0; i < steps; ++i) at = at->next;
  print("iterate_ns", (seconds() - begin) * 1e9 / static_cast<double>(steps));
  report.answer(checked(at));
  for (std::size_t i = 0; i < count; ++i) {
    report.answer(checked(nodes[i]));
    std::free(nodes[i]);
  }
}

void after_peak(std::size_t bytes, bench::report& report) {
  bench::mapped_array<node*> nodes(bytes / 64);
  bench::random_words random(1);
  const std::uint64_t before = bench::resident_bytes();
  const std::size_t count = fill(nodes, bytes, random);
  // Survivors lie together, as those of one phase do: 4,096 in a row, before 61,440 that end.
  std::uint64_t kept = 0;
  for (std::size_t i = 0; i < count; ++i) {
    report.answer(checked(nodes[i]));
    if (i / 4096 % 16 == 0) {
      kept += nodes[i]->size;
    } else {
      std::free(nodes[i]);
      nodes[i] = nullptr;
    }
  }
  // Little work while nobody needs the rest.
  for (int i = 0; i < 40; ++i) {
    usleep(50'000);
    for (int k = 0; k < 100; ++k) std::free(new_node(random));
    for (std::size_t k = 0; k < 10; ++k) {
      void* p = std::malloc(100 * KiB);
      bench::expect(p != nullptr, "malloc returned no block");
      std::free(p);
    }
  }
  print_memory(before, kept);
  for (std::size_t i = 0; i < count; ++i) {
    if (nodes[i] == nullptr) continue;
    report.answer(checked(nodes[i]));
    std::free(nodes[i]);
  }
}

class large_block {
 public:
  large_block(std::size_t size, std::uint64_t seal, std::size_t pages_apart)
      : data_(static_cast<char*>(std::malloc(size))), size_(size), seal_(seal) {
    bench::expect(data_ != nullptr, "malloc returned no block");
    for (std::size_t at = 0; at < size; at += pages_apart * os_page) data_[at] = 1;
    std::memcpy(data_, &seal_, 8);
    std::memcpy(data_ + size_ - 8, &seal_, 8);
  }

  std::uint64_t end() {
    std::uint64_t first = 0, last = 0;
    std::memcpy(&first, data_, 8);
    std::memcpy(&last, data_ + size_ - 8, 8);
    bench::expect(first == seal_ && last == seal_, "a block changed while it was in use");
    std::free(data_);
    return last;
  }

  std::size_t size() const { return size_; }

 private:
  char* data_;
  std::size_t size_;
  std::uint64_t seal_;
};

std::size_t some_size(bench::random_words& random, double least, double most) {
  const double share = static_cast<double>(random.below(1'000'000)) / 1e6;
  return static_cast<std::size_t>(least * std::pow(most / least, share));
}

void large(std::size_t bytes, std::size_t steps, bench::report& report) {
  bench::random_words random(2);
  const auto make = [&random] {
    const std::size_t size = some_size(random, 64 * KiB, 16 * MiB);
    return large_block(size, random.word(), 1);
  };
  std::vector<large_block> blocks;
  const double begin = seconds();
  for (std::size_t used = 0; used < bytes; used += blocks.back().size()) blocks.push_back(make());
  for (std::size_t i = 0; i < steps; ++i) {
    large_block& b = blocks[random.below(blocks.size())];
    report.answer(b.end());
    b = make();
  }
  for (large_block& b : blocks) report.answer(b.end());
  print("call_ns", (seconds() - begin) * 1e9 / static_cast<double>(steps + blocks.size()));
}

void sparse(std::size_t bytes, bench::report& report) {
  constexpr std::size_t apart = 8;
  bench::random_words random(3);
  const std::uint64_t before = bench::resident_bytes();
  std::vector<large_block> blocks;
  for (std::size_t used = 0; used < bytes; used += blocks.back().size()) {
    const std::size_t size = some_size(random, 256 * KiB, 8 * MiB);
    blocks.emplace_back(size, random.word(), apart);
  }
  print_memory(before, bytes / apart);
  for (large_block& b : blocks) report.answer(b.end());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  if (words.size() >= 2 && words[0] == "--threads") words.erase(words.begin(), words.begin() + 2);
  const bool is_quick = !words.empty() && words.back() == "--quick";
  if (is_quick) words.pop_back();
  const std::size_t divisor = is_quick ? 4 : 1;
  const std::size_t bytes = words.size() > 1 ? bench::number(words[1]) / divisor * MiB : 0;
  const std::size_t steps = words.size() > 2 ? bench::number(words[2]) / divisor : 0;
  bench::report report;
  if (words.size() == 3 && words[0] == "walk") {
    walk(bytes, steps, report);
  } else if (words.size() == 3 && words[0] == "large") {
    large(bytes, steps, report);
  } else if (words.size() == 2 && words[0] == "sparse") {
    sparse(bytes, report);
  } else if (words.size() == 2 && words[0] == "after-peak") {
    after_peak(bytes, report);
  } else {
    std::fputs("usage: hugepages walk MIB STEPS | large MIB STEPS | sparse MIB | after-peak MIB\n",
               stderr);
    return 2;
  }
  report.finish();
  return 0;
}
