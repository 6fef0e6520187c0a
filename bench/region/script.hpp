// The requests of the random mixes, drawn once and the same for every contender.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "support/report.hpp"

namespace bench {

class random_source {
 public:
  explicit random_source(std::uint64_t seed) : state_(mix(seed + 1)) {}

  std::uint64_t word() { return mix(state_ += 0x9e3779b97f4a7c15u); }

  // Uniform in [0, bound), bound < 2^32.
  std::uint32_t below(std::size_t bound) {
    return static_cast<std::uint32_t>(((word() >> 32) * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

// A distribution of sizes as a table of 4096 equally likely sizes.
class distribution {
 public:
  static constexpr std::array<std::string_view, 5> names = {
      "fixed-64", "uniform-16-256", "pareto-8-32k", "bimodal-16-64k", "powers-16-4k"};

  explicit distribution(std::string_view name) {
    for (std::size_t step = 0; step < steps; ++step) {
      sizes_[step] = size_at(name, (static_cast<double>(step) + 0.5) / steps);
    }
  }

  std::uint32_t draw(random_source& random) const { return sizes_[random.below(steps)]; }

 private:
  static constexpr std::size_t steps = 4096;

  // The size below which the share `rank` of all blocks lies.
  static std::uint32_t size_at(std::string_view name, double rank) {
    double size = 64;
    if (name == "uniform-16-256") size = 16 + rank * 241;
    // With the exponent 1 every doubling of the size holds the same share of the bytes.
    if (name == "pareto-8-32k") size = 8 / (1 - rank * (1 - 8.0 / 32768));
    // One block of 64 KiB to 255 of 16 to 79 bytes: most blocks are small, most bytes are not.
    if (name == "bimodal-16-64k") size = rank < 255.0 / 256 ? 16 + rank * 64 : 65536;
    if (name == "powers-16-4k") size = std::exp2(4 + std::floor(rank * 9));
    return static_cast<std::uint32_t>(size);
  }

  std::array<std::uint32_t, steps> sizes_{};
};

// Size 0 deallocates the slot's block.
struct step {
  std::uint32_t slot;
  std::uint32_t size;
};

// A block counts for occupancy as its size in units of 16 bytes and a header of 16. A buffer is
// never "95 % occupied" by blocks of 64 bytes alone: no contender fits that many.
inline std::size_t footprint(std::uint32_t size) {
  return (size + std::size_t{31}) / 16 * 16;
}

// Allocates until the live blocks fill `target` bytes, then deallocates blocks chosen at random
// whenever the next one would exceed it: first as often as there are blocks, so that what is
// measured later meets a heap that has aged, and then for `steps` more.
class script {
 public:
  script(const distribution& sizes, std::size_t target, std::size_t steps, std::uint64_t seed)
      : random_(seed) {
    std::uint32_t size = sizes.draw(random_);
    for (; live_bytes_ + footprint(size) <= target; size = sizes.draw(random_)) allocate(size);
    aged_ = steps_.size() + 2 * slot_count_;
    steps_.reserve(aged_ + steps);
    while (steps_.size() < aged_ + steps) {
      if (live_bytes_ + footprint(size) <= target) {
        allocate(size);
        size = sizes.draw(random_);
      } else {
        deallocate_one();
      }
    }
  }

  std::span<const step> until_aged() const { return std::span(steps_).first(aged_); }

  // `count` of the steps that follow, from the offset on.
  std::span<const step> then(std::size_t offset, std::size_t count) const {
    return std::span(steps_).subspan(aged_ + offset, count);
  }

  std::size_t slots() const { return slot_count_; }

 private:
  struct live_block {
    std::uint32_t slot;
    std::uint32_t size;
  };

  void allocate(std::uint32_t size) {
    std::uint32_t slot = slot_count_;
    if (free_slots_.empty()) {
      ++slot_count_;
    } else {
      slot = free_slots_.back();
      free_slots_.pop_back();
    }
    steps_.push_back({slot, size});
    live_.push_back({slot, size});
    live_bytes_ += footprint(size);
  }

  void deallocate_one() {
    live_block& chosen = live_[random_.below(live_.size())];
    steps_.push_back({chosen.slot, 0});
    free_slots_.push_back(chosen.slot);
    live_bytes_ -= footprint(chosen.size);
    chosen = live_.back();
    live_.pop_back();
  }

  random_source random_;
  std::vector<step> steps_;
  std::vector<live_block> live_;
  std::vector<std::uint32_t> free_slots_;
  std::uint32_t slot_count_ = 0;
  std::size_t live_bytes_ = 0;
  std::size_t aged_ = 0;
};

}  // namespace bench
