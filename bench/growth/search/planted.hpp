// A cliff that the search must find: a std::vector whose first element is erased.
#pragma once

#include "growth/search/subject.hpp"

namespace bench::search {

class planted_subject final : public subject {
 public:
  planted_subject(const pattern&, std::size_t) {}
  [[nodiscard]] std::size_t size() const override { return all_.size(); }
  void take(op o) override {
    if (o == op::pop_front && !all_.empty())
      all_.erase(all_.begin());
    else
      all_.push_back(all_.size());
  }
  void erase(std::size_t number) override {
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(number));
  }
  [[nodiscard]] bool check() override { return true; }

 private:
  std::vector<std::uint64_t> all_;
};

}  // namespace bench::search
