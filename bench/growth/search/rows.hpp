// Typed pools, and a std::list.
#pragma once

#include <iterator>
#include <list>
#include <optional>
#include <utility>

#include "growth/search/subject.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace bench::search {

// A row knows its number, so that the table of rows follows what the ends remove.
struct numbered_row {
  std::uint64_t key;
  std::uint64_t number;
};

// Keys and numbers, and where their rows are. `Rows` has the rows: a pool or a list.
template <class Rows>
class row_subject final : public subject {
 public:
  row_subject(const pattern&, std::size_t n) : rows_(Rows::for_rows(n)) {}

  [[nodiscard]] std::size_t size() const override { return at_.size(); }

  void take(op o) override {
    if (at_.empty() && o != op::add_back && o != op::add_front) o = op::add;
    switch (o) {
      case op::pop_back:
        forget(rows_.number(rows_.last()));
        return rows_.pop_back();
      case op::pop_front:
        forget(rows_.number(rows_.first()));
        return rows_.pop_front();
      case op::erase_any:
        return erase(draw_.below(at_.size()));
      case op::erase_old:
        return erase(0);
      case op::erase_young:
        return erase(at_.size() - 1);
      case op::first:
        return saw(rows_.number(rows_.first()));
      case op::last:
        return saw(rows_.number(rows_.last()));
      default:
        // A fixed pool may have no room, at an end or at all.
        if (const auto at = rows_.add(o, ++keys_, at_.size())) return at_.push_back(*at);
        if (const auto at = rows_.add(op::add, keys_, at_.size())) return at_.push_back(*at);
        erase(0);
    }
  }

  void erase(std::size_t number) override {
    const auto at = at_[number];
    forget(number);
    rows_.erase(at);
  }

  [[nodiscard]] bool check() override {
    for (std::size_t i = 0; i < at_.size(); ++i)
      if (rows_.number(at_[i]) != i) return false;
    return rows_.is_sound(at_.size());
  }

 private:
  void forget(std::size_t number) {
    at_[number] = at_.back();
    rows_.number(at_[number]) = number;
    at_.pop_back();
  }
  void saw(std::uint64_t number) { sum_ = mix(sum_ + number); }

  Rows rows_;
  std::vector<typename Rows::place> at_;
  random draw_{1};
  std::uint64_t keys_ = 0, sum_ = 0;
};

template <class Pool>
class pool_rows {
 public:
  using place = typename Pool::index_type;
  static pool_rows for_rows(std::size_t n) {
    if constexpr (Pool::policy_type::is_fixed)
      return pool_rows(Pool(4 * n + 64));
    else
      return static_cast<void>(n), pool_rows(Pool());
  }
  std::optional<place> add(op o, std::uint64_t key, std::uint64_t number) {
    if constexpr (requires { rows_.try_emplace_front(key, number); })
      if (o == op::add_front) return rows_.try_emplace_front(key, number);
    return o == op::add_back ? rows_.try_emplace_back(key, number) : rows_.try_emplace(key, number);
  }
  void erase(place at) { rows_.erase(at); }
  void pop_back() { rows_.pop_back(); }
  void pop_front() {
    if constexpr (requires { rows_.pop_front(); }) rows_.pop_front();
  }
  place first() { return rows_.begin().index_of(); }
  place last() {
    auto i = rows_.end();
    return (--i).index_of();
  }
  std::uint64_t& number(place at) {
    if constexpr (requires { rows_[at].number; })
      return rows_[at].number;
    else
      return rows_.template get<1>(at);
  }
  bool is_sound(std::size_t live) { return rows_.size() == live && rows_.check() == 0; }

 private:
  explicit pool_rows(Pool&& rows) : rows_(std::move(rows)) {}
  Pool rows_;
};

class list_rows {
 public:
  using place = std::list<numbered_row>::iterator;
  static list_rows for_rows(std::size_t) { return {}; }
  std::optional<place> add(op o, std::uint64_t key, std::uint64_t number) {
    return rows_.insert(o == op::add_front ? rows_.begin() : rows_.end(), {key, number});
  }
  void erase(place at) { rows_.erase(at); }
  void pop_back() { rows_.pop_back(); }
  void pop_front() { rows_.pop_front(); }
  place first() { return rows_.begin(); }
  place last() { return std::prev(rows_.end()); }
  static std::uint64_t& number(place at) { return at->number; }
  bool is_sound(std::size_t live) const { return rows_.size() == live; }

 private:
  std::list<numbered_row> rows_;
};

}  // namespace bench::search
