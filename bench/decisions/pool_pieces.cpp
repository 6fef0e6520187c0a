// Decision 0017: how large a pool's pieces are, how many empty ones it keeps, and whether it takes
// more of them at a time as it grows. All that is counted is the same in every run.
//
// usage: pool_pieces                  prints calls of the upstream and memory held, by design
//        pool_pieces KIB STEPS        replaces a node STEPS times in pieces of so many KiB
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "heapsmith/detail/pool_resource/piece_lists.hpp"
#include "heapsmith/resource.hpp"

namespace {

using namespace heapsmith;

/// The engine of unsynchronized_pool with other ways to get pieces. A run is what one call of the
/// upstream took: one piece, or twice as many each time, up to `most` pieces.
template <std::size_t Bytes>
class pool {
  struct run {
    char* start;
    std::size_t pieces, empty;
  };

 public:
  pool(std::size_t kept, std::size_t most) : kept_(kept), most_(most) {}
  ~pool() {
    for (const run& r : runs_) upstream_.deallocate(r.start, r.pieces * Bytes, Bytes);
  }

  void* allocate(std::size_t bytes) {
    const unsigned cls = detail::pool_classes::of(bytes);
    if (void* p = lists_.take(cls)) return p;
    if (void* p = lists_.take_slow(cls)) return p;
    lists_.add(take_piece(), cls, nullptr);
    return lists_.take_slow(cls);
  }

  void deallocate(void* block) {
    if (detail::piece* p = lists_.give(block)) give_piece(p);
  }

  std::size_t calls = 0;
  std::size_t held() const { return held_; }

 private:
  char* take_piece() {
    if (empty_.empty()) {
      const std::size_t n = next_;
      next_ = std::min(2 * n, most_);
      auto* const start = static_cast<char*>(upstream_.allocate(n * Bytes, Bytes));
      ++calls;
      held_ += n * Bytes;
      runs_.push_back({start, n, n});
      for (std::size_t i = n; i-- > 0;) empty_.push_back(start + i * Bytes);
    }
    char* const piece = empty_.back();
    empty_.pop_back();
    --run_of(piece).empty;
    return piece;
  }

  /// A run can go when all of its pieces are empty, and goes unless it is among those kept.
  void give_piece(detail::piece* p) {
    using layout = detail::piece_layout<Bytes>;
    auto* const start = reinterpret_cast<char*>(layout::start(reinterpret_cast<std::uintptr_t>(p)));
    empty_.push_back(start);
    run& r = run_of(start);
    if (++r.empty < r.pieces || empty_.size() <= std::max(kept_, r.pieces * (kept_ > 0))) return;
    std::erase_if(empty_, [&](const char* e) { return &run_of(e) == &r; });
    upstream_.deallocate(r.start, r.pieces * Bytes, Bytes);
    ++calls;
    held_ -= r.pieces * Bytes;
    r = runs_.back();
    runs_.pop_back();
  }

  run& run_of(const char* piece) {
    return *std::ranges::find_if(runs_, [&](const run& r) {
      return r.start <= piece && piece < r.start + r.pieces * Bytes;
    });
  }

  default_resource upstream_;
  detail::piece_lists<Bytes> lists_;
  std::vector<char*> empty_;
  std::vector<run> runs_;
  std::size_t kept_, most_, next_ = 1, held_ = 0;
};

struct block {
  void* at;
  std::size_t bytes;
};

/// Nodes of four sizes, whose number swings between `most` and a tenth of that.
template <std::size_t Bytes>
struct nodes {
  pool<Bytes> memory;
  std::vector<block> live = {};
  std::size_t live_bytes = 0, operations = 0;
  std::mt19937 random{1};

  void grow_to(std::size_t count) {
    static constexpr std::size_t sizes[] = {24, 40, 72, 120};
    while (live.size() < count) {
      const std::size_t bytes = sizes[random() % 4];
      live.push_back({memory.allocate(bytes), bytes});
      std::memset(live.back().at, 1, bytes);
      live_bytes += bytes;
      ++operations;
    }
  }
  /// The last ones go, as of a stack, or any.
  void shrink_to(std::size_t count, bool are_last) {
    while (live.size() > count) {
      if (!are_last) std::swap(live[random() % live.size()], live.back());
      memory.deallocate(live.back().at);
      live_bytes -= live.back().bytes;
      live.pop_back();
      ++operations;
    }
  }
};

struct figures {
  double calls_a_million, full, shrunk;
};

template <std::size_t Bytes>
figures swing(std::size_t kept, std::size_t most_pieces, std::size_t most, bool are_last) {
  nodes<Bytes> n{pool<Bytes>(kept, most_pieces)};
  figures out{};
  for (int round = 0; round < 40; ++round) {
    n.grow_to(most);
    out.full = static_cast<double>(n.memory.held()) / static_cast<double>(n.live_bytes);
    n.shrink_to(most / 10, are_last);
    out.shrunk = static_cast<double>(n.memory.held()) / static_cast<double>(n.live_bytes);
  }
  out.calls_a_million =
      1e6 * static_cast<double>(n.memory.calls) / static_cast<double>(n.operations);
  return out;
}

template <std::size_t Bytes>
void print_row(std::size_t kept, std::size_t most_pieces) {
  pool<Bytes> few(kept, most_pieces);
  for (std::size_t bytes = 16; bytes <= 256; bytes += 16) static_cast<void>(few.allocate(bytes));
  std::printf("%4zu KiB, %2zu kept, runs of %2zu  |%6zu KiB |", Bytes / 1024, kept, most_pieces,
              few.held() / 1024);
  for (const std::size_t most : {2'000, 100'000}) {
    for (const bool are_last : {true, false}) {
      const figures f = swing<Bytes>(kept, most_pieces, most, are_last);
      std::printf("%7.0f %5.2f %6.2f |", f.calls_a_million, f.full, f.shrunk);
    }
  }
  std::puts("");
}

void print_table() {
  std::puts(
      "                             | a few of |  most 2000, last goes | any goes              "
      "|  most 100000, last goes | any goes");
  std::puts(
      "design                       |  16 sizes | calls  full shrunk   | calls  full shrunk   "
      "| calls  full shrunk   | calls  full shrunk");
  print_row<4096>(8, 1);
  print_row<8192>(8, 1);
  print_row<16384>(8, 1);
  print_row<32768>(8, 1);
  print_row<65536>(8, 1);
  print_row<131072>(8, 1);
  for (const std::size_t kept : {0, 1, 4, 32}) print_row<32768>(kept, 1);
  for (const std::size_t most : {4, 16}) print_row<32768>(8, most);
}

template <std::size_t Bytes>
void replace(std::size_t steps) {
  nodes<Bytes> n{pool<Bytes>(8, 1)};
  n.grow_to(4096);
  for (std::size_t i = 0; i < steps; ++i) {
    n.shrink_to(4095, false);
    n.grow_to(4096);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) return print_table(), 0;
  if (argc != 3) return 2;
  const std::size_t steps = std::strtoul(argv[2], nullptr, 10);
  switch (std::atoi(argv[1])) {
    case 4:
      return replace<4096>(steps), 0;
    case 8:
      return replace<8192>(steps), 0;
    case 16:
      return replace<16384>(steps), 0;
    case 32:
      return replace<32768>(steps), 0;
    case 64:
      return replace<65536>(steps), 0;
    case 128:
      return replace<131072>(steps), 0;
    default:
      return 2;
  }
}
