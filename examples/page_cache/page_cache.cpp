// The page cache of a database: frames of a fixed size, a clock that chooses the page to evict, and
// handles by which a cursor finds its page again without a look into the map.
#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heapsmith/allocator.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/pool_resource.hpp"
#include "measured.hpp"

namespace {

constexpr std::uint32_t frames = 2048;
constexpr std::uint64_t pages = 16384;

using page = std::array<std::uint64_t, 512>;  // 4 KiB

/// The disk below the cache: each page has one number, with which it is filled.
class disk {
 public:
  void read(std::uint64_t number, page& into) {
    ++reads;
    into.fill(words_[number]);
  }
  void write(std::uint64_t number, const page& from) {
    ++writes;
    words_[number] = from[0];
  }
  std::uint64_t reads = 0, writes = 0;

 private:
  std::vector<std::uint64_t> words_ = std::vector<std::uint64_t>(pages);
};

// To copy: descriptors in a fixed pool, and the frame of each at the same index. The nodes of the
// map come from a pool, too.
class heapsmith_form {
  struct descriptor {
    std::uint64_t number;
    bool is_used, is_dirty;
  };
  using index = std::uint32_t;

 public:
  using name = heapsmith::handle<descriptor>;

  explicit heapsmith_form(disk& below) : disk_(below) { where_.reserve(frames); }

  /// Returns: the page. Effects: `at` names its frame until the page is evicted; if it still does,
  /// the map is not searched.
  page& get(std::uint64_t number, name& at) {
    if (!descriptors_.contains(at)) at = find(number);
    descriptors_[at].is_used = true;
    return frames_[at.index()];
  }
  void changed(name at) { descriptors_[at].is_dirty = true; }

 private:
  name find(std::uint64_t number) {
    const auto [place, is_new] = where_.try_emplace(number, 0);
    if (is_new) {
      if (descriptors_.size() == frames) evict();
      // In the slot that was erased last, which is that of the evicted page.
      place->second = descriptors_.emplace(descriptor{number, false, false});
      disk_.read(number, frames_[place->second]);
    }
    return descriptors_.handle_of(place->second);
  }

  /// Complexity: at most two rounds; constant on average, since each step clears a mark.
  void evict() {
    for (;; hand_ = (hand_ + 1) % frames) {
      descriptor& here = descriptors_[hand_];
      if (!std::exchange(here.is_used, false)) break;
    }
    const descriptor& victim = descriptors_[hand_];
    if (victim.is_dirty) disk_.write(victim.number, frames_[hand_]);
    where_.erase(victim.number);
    descriptors_.erase(hand_);
    hand_ = (hand_ + 1) % frames;
  }

  using nodes = heapsmith::unsynchronized_pool<>;
  using entry = std::pair<const std::uint64_t, index>;

  disk& disk_;
  heapsmith::fixed_pool<descriptor, heapsmith::policy::with_handles> descriptors_{frames};
  std::unique_ptr<page[]> frames_ = std::make_unique_for_overwrite<page[]>(frames);
  nodes memory_;
  std::unordered_map<std::uint64_t, index, std::hash<std::uint64_t>, std::equal_to<>,
                     heapsmith::resource_allocator<entry, nodes>>
      where_{heapsmith::resource_allocator<entry, nodes>(memory_)};
  index hand_ = 0;
};

// The same with the standard library: a list in the order of the clock, and a map into it. A cursor
// may keep no pointer, since nothing tells it that the page was evicted.
class std_form {
  struct entry {
    std::uint64_t number = 0;
    bool is_used = false, is_dirty = false;
    page bytes;
  };

 public:
  using name = entry*;

  explicit std_form(disk& below) : disk_(below) { where_.reserve(frames); }

  page& get(std::uint64_t number, name& at) {
    const auto [place, is_new] = where_.try_emplace(number);
    if (is_new) {
      if (clock_.size() == frames)
        evict();
      else
        clock_.emplace_back();
      clock_.back().number = number;
      place->second = std::prev(clock_.end());
      disk_.read(number, clock_.back().bytes);
    }
    at = &*place->second;
    at->is_used = true;
    return at->bytes;
  }
  static void changed(name at) { at->is_dirty = true; }

 private:
  /// Effects: moves the evicted entry to the end, for the next page.
  void evict() {
    while (std::exchange(clock_.front().is_used, false))
      clock_.splice(clock_.end(), clock_, clock_.begin());
    entry& victim = clock_.front();
    if (std::exchange(victim.is_dirty, false)) disk_.write(victim.number, victim.bytes);
    where_.erase(victim.number);
    clock_.splice(clock_.end(), clock_, clock_.begin());
  }

  disk& disk_;
  std::list<entry> clock_;
  std::unordered_map<std::uint64_t, std::list<entry>::iterator> where_;
};

/// A cursor reads its page, and often the same page again; some pages are changed.
template <class Cache>
example::results query(std::size_t steps) {
  disk below;
  Cache cache(below);
  struct cursor {
    std::uint64_t number = 0;
    typename Cache::name at{};
  };
  std::array<cursor, 64> cursors;
  std::uint64_t sum = 0;
  std::uint32_t random = 1;
  for (std::size_t i = 0; i < steps; ++i) {
    random = random * 1664525 + 1013904223;
    cursor& c = cursors[(random >> 8) % cursors.size()];
    if (random >> 30 == 0) {  // moves on: mostly to one of the pages that everybody reads
      const bool is_hot = (random >> 24) % 8 != 0;
      c = {(random >> 10) % (is_hot ? frames / 2 : pages), {}};
    }
    page& here = cache.get(c.number, c.at);
    sum += here[i % here.size()];
    if (i % 16 != 0) continue;
    ++here[0];
    cache.changed(c.at);
  }
  return {{"pages read", below.reads}, {"pages written", below.writes}, {"checksum", sum}};
}

}  // namespace

int main(int argc, char** argv) {
  return example::main<query<std_form>, query<heapsmith_form>, example::sizes{8'000'000, 100'000}>(
      "page-cache", argc, argv);
}
