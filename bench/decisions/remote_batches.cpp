// Decision 0004: read-modify-writes on shared words for each block freed by another thread.
//
// Four threads have allocated 64-byte blocks, in order, slab by slab; one thread frees them all, in
// several orders. Counted is how often a design touches a word that several threads write.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t owners = 4, slab_blocks = 1024, slabs = 64, blocks = slabs * slab_blocks;

std::size_t slab_of(std::size_t block) {
  return block / slab_blocks;
}
std::size_t owner_of(std::size_t block) {
  return slab_of(block) % owners;
}

/// Batches that gather blocks by a key in a few places, each sent when full or when displaced.
class gatherer {
 public:
  gatherer(std::size_t places, std::size_t most) : places_(places), most_(most) {}

  void add(std::size_t key) {
    place& p = places_[key % places_.size()];
    if (p.count != 0 && p.key != key) send(p);
    p.key = key;
    if (++p.count == most_) send(p);
  }

  std::size_t sent() {
    for (place& p : places_)
      if (p.count != 0) send(p);
    return sent_;
  }
  std::size_t carried() const { return carried_; }

 private:
  struct place {
    std::size_t key = 0, count = 0;
  };

  void send(place& p) {
    ++sent_;
    carried_ += p.count;
    p.count = 0;
  }

  std::vector<place> places_;
  std::size_t most_, sent_ = 0, carried_ = 0;
};

std::uint64_t seed = 42;
std::size_t below(std::size_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (seed >> 33) % n;
}

/// As allocated; mixed within windows of `window` blocks when that is more than one.
std::vector<std::size_t> order(bool in_turns, std::size_t window) {
  std::vector<std::size_t> o(blocks);
  std::iota(o.begin(), o.end(), 0);
  if (in_turns)  // one block of each owner after another: requests that four threads filled
    std::sort(o.begin(), o.end(), [](std::size_t a, std::size_t b) {
      const auto at = [](std::size_t x) {
        return std::pair(slab_of(x) / owners * slab_blocks + x % slab_blocks, owner_of(x));
      };
      return at(a) < at(b);
    });
  for (std::size_t at = 0; window > 1 && at < blocks; at += window)
    for (std::size_t i = window; i-- > 1;) std::swap(o[at + i], o[at + below(i + 1)]);
  return o;
}

void print_row(const char* name, const std::vector<std::size_t>& freed) {
  // The queue of snmalloc's kind: batches by owner, cut off when 16 KiB are on their way to anyone.
  gatherer by_slab(8, 64), by_slab_32(32, 64), by_owner(owners, 256 / owners);
  for (const std::size_t b : freed) {
    by_slab.add(slab_of(b));
    by_slab_32.add(slab_of(b));
    by_owner.add(owner_of(b));
  }
  const double n = blocks;
  const double per_owner = static_cast<double>(by_owner.sent()) / n;
  printf("%-26s %10.3f %12.3f %12.3f %12.3f\n", name, 1.0, per_owner,
         static_cast<double>(by_slab.sent()) / n, static_cast<double>(by_slab_32.sent()) / n);
  if (by_slab.carried() != blocks || by_owner.carried() != blocks) abort();
}

}  // namespace

int main() {
  printf("%-26s %10s %12s %12s %12s\n", "order of the frees", "no batches", "by owner",
         "by slab, 8", "by slab, 32");
  print_row("as allocated", order(false, 1));
  print_row("owners in turns", order(true, 1));
  print_row("mixed within 256", order(false, 256));
  print_row("turns, mixed within 256", order(true, 256));
  print_row("mixed within 8192", order(false, 8192));
  print_row("mixed within 16384", order(false, 16384));
  print_row("wholly random", order(false, blocks));
}
