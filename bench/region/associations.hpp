// Workloads over std::map and std::unordered_map: insert, erase, both mixed, find.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>

#include "allocator.hpp"
#include "support/measure.hpp"
#include "support/report.hpp"

namespace bench {

using pair_allocator = allocator<std::pair<const std::int64_t, std::int64_t>>;

using tree_map = std::map<std::int64_t, std::int64_t, std::less<std::int64_t>, pair_allocator>;

using hash_map = std::unordered_map<std::int64_t, std::int64_t, std::hash<std::int64_t>,
                                    std::equal_to<std::int64_t>, pair_allocator>;

// As in sequences.hpp: fill, time one phase, check, return what was read. Keys come in their order.
template <class Map>
struct map_scenarios {
  static std::uint64_t insert(contender& from, std::size_t count, stopwatch& watch) {
    Map inserted{pair_allocator(from)};
    watch.start();
    fill(inserted, count);
    keep(inserted);
    watch.stop();
    return sum_of(inserted, count);
  }

  static std::uint64_t erase(contender& from, std::size_t count, stopwatch& watch) {
    Map erased{pair_allocator(from)};
    fill(erased, count);
    std::uint64_t sum = 0;
    watch.start();
    while (!erased.empty()) {
      sum += static_cast<std::uint64_t>(erased.begin()->second);
      erased.erase(erased.begin());
    }
    keep(sum);
    watch.stop();
    expect(sum == sum_below(count), "the erased values are not those inserted");
    return sum;
  }

  // Two inserted, one erased: the latter of the two.
  static std::uint64_t mixed(contender& from, std::size_t count, stopwatch& watch) {
    Map mixed{pair_allocator(from)};
    std::size_t erased = 0;
    watch.start();
    for (std::size_t i = 0; i < count; ++i) {
      const auto key = static_cast<std::int64_t>(i);
      mixed.insert({key, key});
      if (i % 2 == 1) erased += mixed.erase(key);
    }
    keep(mixed);
    watch.stop();
    expect(erased == count / 2, "an inserted key was not there to be erased");
    return sum_of(mixed, count - erased);
  }

  static std::uint64_t find(contender& from, std::size_t count, stopwatch& watch) {
    Map searched{pair_allocator(from)};
    fill(searched, count);
    std::uint64_t sum = 0;
    watch.start();
    for (std::size_t i = 0; i < count; ++i) {
      const auto found = searched.find(static_cast<std::int64_t>(i));
      expect(found != searched.end(), "an inserted key was not found");
      sum += static_cast<std::uint64_t>(found->second);
    }
    keep(sum);
    watch.stop();
    expect(sum == sum_below(count), "the values found are not those inserted");
    return sum;
  }

 private:
  static void fill(Map& filled, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto key = static_cast<std::int64_t>(i);
      filled.insert({key, key});
    }
  }

  static std::uint64_t sum_below(std::uint64_t count) { return count * (count - 1) / 2; }

  // Every key still has its value, and all are there. A key of the corrupted map may be missed
  // by the walk, so the sum is judged, too.
  static std::uint64_t sum_of(const Map& values, std::size_t count) {
    std::uint64_t sum = 0;
    std::size_t seen = 0;
    for (const auto& [key, value] : values) {
      expect(key == value, "a value changed while it was in a map");
      sum += static_cast<std::uint64_t>(value);
      ++seen;
    }
    expect(seen == count, "a map lost or gained elements");
    return sum;
  }
};

}  // namespace bench
