// A block of the workload pattern: how it is allocated, sealed, checked and freed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "../workload.hpp"
#include "settings.hpp"

namespace pattern {

// The distance between two seals inside a block; the ends of a block always have one.
constexpr std::uint64_t step_of(touch touched) {
  switch (touched) {
    case touch::pages:
      return 4096;
    case touch::whole:
      return 64;
    case touch::ends:
      break;
  }
  return ~std::uint64_t{0};
}

// A block carries its seal in its first two words, in its last one, and in a word of each step,
// where it has room for them. If two blocks overlap in their last 16 bytes, the first two words of
// one lie on the last word of the other.
struct block {
  unsigned char* data;  // null: an empty slot
  std::uint32_t size;
  std::uint32_t seal;

  std::uint64_t word() const { return (seal | 1u) * 0x9e3779b97f4a7c15u; }

  template <class Visit>
  static void for_each_mark(std::uint64_t size, std::uint64_t step, Visit visit) {
    visit(std::uint64_t{0});
    if (size < 16) return;
    const std::uint64_t last = size - 8;
    if (last >= 16) visit(std::uint64_t{8});
    if (step < last) {
      for (std::uint64_t at = step; at + 8 <= last; at += step) visit(at);
    }
    visit(last);
  }

  void write(std::uint64_t step) const {
    const std::uint64_t sealing = word();
    for_each_mark(size, step, [&](std::uint64_t at) { std::memcpy(data + at, &sealing, 8); });
  }

  // Exits the program if a marked word of the first `bytes` is not `expected`.
  void require(std::uint64_t bytes, std::uint64_t step, std::uint64_t expected) const {
    std::uint64_t difference = 0;
    for_each_mark(bytes, step, [&](std::uint64_t at) {
      std::uint64_t found = 0;
      std::memcpy(&found, data + at, 8);
      difference |= found ^ expected;
    });
    if (difference != 0) lab::fail("a block's contents changed while it was in use");
  }

  // Returns the block's share of the check value.
  std::uint64_t retire(std::uint64_t step) const {
    require(size, step, word());
    const std::uint64_t share = word() + size;
    std::free(data);
    return share;
  }
};

// How a lane draws sizes and ways to allocate.
class source {
 public:
  source(const settings& all, std::uint64_t seed)
      : all_(&all), step_(step_of(touch{all.touch})), random_(seed) {}

  std::uint64_t step() const { return step_; }
  std::uint32_t below(std::uint64_t bound) {
    return random_.below(static_cast<std::uint32_t>(bound));
  }
  bool percent(std::uint64_t share) { return share != 0 && random_.below(100) < share; }

  block allocate(bool next_sizes) {
    block made{nullptr, draw_size(next_sizes), static_cast<std::uint32_t>(random_.word())};
    if (percent(all_->calloc)) {
      made.data = static_cast<unsigned char*>(std::calloc(1, made.size));
      require_some(made.data);
      made.require(made.size, step_, 0);
    } else if (percent(all_->aligned)) {
      void* got = nullptr;
      if (posix_memalign(&got, all_->alignment, made.size) != 0) got = nullptr;
      made.data = static_cast<unsigned char*>(got);
      if (reinterpret_cast<std::uintptr_t>(got) % all_->alignment != 0)
        lab::fail("a block is not aligned");
    } else {
      made.data = static_cast<unsigned char*>(std::malloc(made.size));
    }
    require_some(made.data);
    made.write(step_);
    return made;
  }

  // Gives the block another size. What both sizes have in common must be as it was.
  std::uint64_t resize(block& changed, bool next_sizes) {
    const block before = changed;
    before.require(before.size, step_, before.word());
    changed.size = new_size(before.size, next_sizes);
    changed.data = static_cast<unsigned char*>(std::realloc(before.data, changed.size));
    require_some(changed.data);
    std::uint64_t first = 0;
    std::memcpy(&first, changed.data, 8);
    if (first != before.word()) lab::fail("realloc lost the contents of a block");
    changed.write(step_);
    return before.word() + changed.size;
  }

 private:
  static void require_some(const void* data) {
    if (data == nullptr) lab::fail("malloc returned no block");
  }

  std::uint32_t new_size(std::uint64_t size, bool next_sizes) {
    const std::uint64_t least = next_sizes ? all_->next_smallest : all_->smallest;
    const std::uint64_t most = next_sizes ? all_->next_largest : all_->largest;
    std::uint64_t wanted = size;
    if (all_->resizing == std::uint64_t(resizing::growing)) wanted = size + size / 2 + 8;
    if (all_->resizing == std::uint64_t(resizing::shrinking)) wanted = size - size / 4 - 1;
    if (all_->resizing == std::uint64_t(resizing::steps)) wanted = size + 4096 + below(60 * 1024);
    const bool is_drawn = all_->resizing == std::uint64_t(resizing::redrawn);
    if (is_drawn || wanted < least || wanted > most) return draw_size(next_sizes);
    return static_cast<std::uint32_t>(wanted);
  }

  std::uint32_t draw_size(bool next_sizes) {
    const double least = static_cast<double>(next_sizes ? all_->next_smallest : all_->smallest);
    const double most = static_cast<double>(next_sizes ? all_->next_largest : all_->largest);
    if (least == most) return static_cast<std::uint32_t>(least);
    const double at = random_.unit();
    double size = least + at * (most - least);
    if (all_->spread == std::uint64_t(spread::pareto)) size = least / (1 - at * (1 - least / most));
    if (all_->spread == std::uint64_t(spread::logarithmic)) size = between_powers(least, most);
    return static_cast<std::uint32_t>(std::clamp(size, least, most));
  }

  // Every doubling of the size is as frequent as any other: a random power of two, then uniform up
  // to the next one. pow() would cost more than malloc.
  double between_powers(double least, double most) {
    const unsigned low = 63u - static_cast<unsigned>(std::countl_zero(std::uint64_t(least)));
    const unsigned high = 63u - static_cast<unsigned>(std::countl_zero(std::uint64_t(most)));
    if (low == high) return least + random_.unit() * (most - least);
    const double power = static_cast<double>(std::uint64_t{1} << (low + below(high - low + 1)));
    return power + random_.unit() * power;
  }

  const settings* all_;
  std::uint64_t step_;
  lab::random_source random_;
};

}  // namespace pattern
