// Rows of odd types, whose constructors and destructors take steps of their own.
#pragma once

#include <any>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>

namespace heapsmith::fuzz {

[[noreturn]] inline void wrong(const char* what) {
  std::fprintf(stderr, "fuzz_pool: %s\n", what);
  std::abort();
}

/// The steps that the rows of the pool under test take, and how many rows exist.
struct world {
  std::function<void(bool)> when_made, when_ended;  // when_made may throw if it is told so
  long rows = 0;
};
inline world the_world;

/// Counts itself, and takes steps when it begins and ends. Its number is in memory of its own.
class busy_part {
 public:
  explicit busy_part(std::uint32_t n) : number_(std::make_unique<std::uint32_t>(n)) {
    if (the_world.when_made) the_world.when_made(true);
    ++the_world.rows;
  }
  busy_part() noexcept = default;  // a dead field of a pool in columns: it does nothing
  busy_part(busy_part&& o) noexcept : number_(std::move(o.number_)) {
    the_world.rows += number_ != nullptr;
    the_world.rows -= number_ != nullptr;
  }
  busy_part& operator=(busy_part&& o) noexcept {
    end();
    number_ = std::move(o.number_);
    return *this;
  }
  ~busy_part() { end(); }

  [[nodiscard]] std::uint32_t number() const {
    if (number_ == nullptr) wrong("a live row has no number");
    return *number_;
  }

 private:
  void end() noexcept {
    if (number_ == nullptr) return;
    --the_world.rows;
    const auto number = std::move(number_);  // ends once
    if (the_world.when_ended) the_world.when_ended(false);
  }
  std::unique_ptr<std::uint32_t> number_;
};

/// A number that a conversion makes, which takes steps, too.
struct busy_number {
  std::uint32_t n;
  operator std::uint32_t() const {
    if (the_world.when_made) the_world.when_made(false);
    return n;
  }
};

struct plain_row {
  std::uint32_t n;
  plain_row() = default;
  explicit plain_row(busy_number from) : n(from) {}
  [[nodiscard]] std::uint32_t number() const { return n; }
};
struct alignas(128) wide_row {
  busy_part part;
  char more[200] = {};
  explicit wide_row(busy_number from) : part(from.n) {}
  [[nodiscard]] std::uint32_t number() const { return part.number(); }
};
/// Takes anything in braces, has no address, and no class derives from it.
struct greedy_row final {
  busy_part part;
  explicit greedy_row(busy_number from) : part(from.n) {}
  greedy_row(std::initializer_list<std::any>) { wrong("a row was made from a list in braces"); }
  greedy_row() noexcept = default;
  greedy_row(greedy_row&&) noexcept = default;
  greedy_row& operator=(greedy_row&&) noexcept = default;
  void operator&() const = delete;
  [[nodiscard]] std::uint32_t number() const { return part.number(); }
};
/// Neither moves nor copies: for pools whose slots do not move.
struct rooted_row {
  busy_part part;
  const rooted_row* self = this;
  explicit rooted_row(busy_number from) : part(from.n) {}
  rooted_row(const rooted_row&) = delete;
  [[nodiscard]] std::uint32_t number() const {
    if (self != this) wrong("a row that cannot move has moved");
    return part.number();
  }
};

}  // namespace heapsmith::fuzz
