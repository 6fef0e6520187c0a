// Workload huge-arrays: arrays of 32 to 96 MiB grow, shrink and end; few of their pages are used.
//
// Idea: columns of data frames, images and matrices that are reserved for the worst case, filled in
// part and then cut to size. Allocators serve blocks this large by mappings of their own. So the
// time goes to system calls and page faults, and memory to how much a block keeps when it shrinks.

#include <algorithm>

#include "workload.hpp"

namespace {

constexpr double array_count = 600;
constexpr std::uint64_t smallest = std::uint64_t{32} << 20;
constexpr std::uint64_t step = std::uint64_t{128} << 10;  // one word in each is used
constexpr std::size_t names_per_array = 16;

class array {
 public:
  explicit array(std::uint64_t number) : random_(number), seal_(random_.word()) {
    for (auto& name : names_) {
      name = lab::sealed_block::create(8 + random_.below(57), random_.word());
    }
    bytes_ = smallest + std::uint64_t{random_.below(32)} * 2 * step;
    data_ = static_cast<unsigned char*>(std::malloc(bytes_));
    if (data_ == nullptr) lab::fail("no array");
    fill(0);
  }

  void grow() {
    const std::uint64_t before = bytes_;
    resize(bytes_ + bytes_ / 2 / step * step);
    fill(before);
  }

  // Cut by less than a half, then to a third.
  void shrink() {
    resize(bytes_ / 5 * 3 / step * step);
    resize(bytes_ / 3 / step * step);
  }

  std::uint64_t retire() {
    const std::uint64_t sum = verify() + lab::retire(names_);
    std::free(data_);
    return sum;
  }

 private:
  void resize(std::uint64_t bytes) {
    data_ = static_cast<unsigned char*>(std::realloc(data_, bytes));
    if (data_ == nullptr) lab::fail("realloc returned no array");
    bytes_ = std::min(bytes_, bytes);
    verify();
    bytes_ = bytes;
  }

  void fill(std::uint64_t from) {
    for (std::uint64_t at = from; at < bytes_; at += step) {
      const std::uint64_t word = seal_ + at;
      std::memcpy(data_ + at, &word, 8);
    }
  }

  std::uint64_t verify() const {
    for (std::uint64_t at = 0; at < bytes_; at += step) {
      std::uint64_t found;
      std::memcpy(&found, data_ + at, 8);
      if (found != seal_ + at) lab::fail("an array changed while it was in use");
    }
    return seal_ + bytes_;
  }

  lab::random_source random_;
  std::uint64_t seal_;
  std::uint64_t bytes_ = 0;
  unsigned char* data_ = nullptr;
  lab::sealed_block names_[names_per_array];
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t arrays = options.scaled(array_count);
  return lab::finish(lab::run_lanes(options.threads, [&](unsigned lane) {
    std::uint64_t sum = 0;
    for (std::uint64_t number = lane; number < arrays; number += options.threads) {
      array made(number);
      made.grow();
      made.shrink();
      sum += made.retire();
    }
    return sum;
  }));
}
