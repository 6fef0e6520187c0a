// Ordered containers.
#pragma once

#include <iterator>
#include <set>

#include "growth/search/subject.hpp"
#include "heapsmith/containers/set.hpp"

namespace bench::search {

template <class Set>
class tree_subject final : public subject {
 public:
  tree_subject(const pattern&, std::size_t) {}

  [[nodiscard]] std::size_t size() const override { return set_.size(); }

  void take(op o) override {
    if (set_.empty() && o != op::add_back) o = op::add;
    switch (o) {
      case op::pop_front:
        return static_cast<void>(set_.erase(*set_.begin()));
      case op::pop_back:
        return static_cast<void>(set_.erase(*std::prev(set_.end())));
      case op::erase_any:
        return erase(draw_.below(keys_.size()));
      case op::erase_old:
        return erase(0);
      case op::erase_young:
        return erase(keys_.size() - 1);
      case op::first:
        return saw(*set_.begin());
      case op::last:
        return saw(*std::prev(set_.end()));
      case op::find:
        return saw(set_.find(keys_[draw_.below(keys_.size())]) != set_.end());
      case op::next: {
        const auto at = set_.lower_bound(keys_[draw_.below(keys_.size())]);
        return saw(at == set_.end() ? 0 : *at);
      }
      case op::add_back:
        return add(++highest_);
      case op::add_front:
        return add(--lowest_);
      default:
        add((std::uint64_t{1} << 62) + draw_() % (std::uint64_t{1} << 62));
    }
  }

  // Keys that left at the ends are forgotten when their number comes up.
  void erase(std::size_t number) override {
    for (bool erased = false; !erased;) {
      erased = set_.erase(keys_[number]) != 0;
      keys_[number] = keys_.back();
      keys_.pop_back();
      if (number >= keys_.size()) number = keys_.size() - 1;
    }
  }

  [[nodiscard]] bool check() override {
    std::size_t n = 0;
    std::uint64_t before = 0;
    for (const std::uint64_t key : set_) {
      if (key <= before) return false;
      before = key;
      ++n;
    }
    return n == set_.size();
  }

 private:
  void add(std::uint64_t key) {
    set_.insert(key);
    keys_.push_back(key);
  }
  void saw(std::uint64_t key) { sum_ = mix(sum_ + key); }

  Set set_;
  std::vector<std::uint64_t> keys_;
  std::uint64_t highest_ = std::uint64_t{1} << 63, lowest_ = std::uint64_t{1} << 62, sum_ = 0;
  random draw_{3};
};

}  // namespace bench::search
