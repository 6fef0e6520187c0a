// The tape of decisions: which branch was taken at each choice, so that a search can take the
// others.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace heapsmith::model {

/// Depth-first search by re-execution. An execution asks choose() at every choice; next() turns the
/// tape to the first untaken branch of the deepest choice that has one.
class tape {
 public:
  /// One of 0 … count-1; 0 the first time a choice is met.
  unsigned choose(unsigned count) {
    if (count == 1) return 0;
    if (at_ == branches_.size()) branches_.push_back({0, count});
    const branch& b = branches_[at_++];
    if (b.count != count) std::abort();  // the case is not a function of its choices
    return b.taken;
  }

  /// True while the execution follows an earlier one, whose states have all been seen.
  bool replaying() const { return at_ < branches_.size(); }

  void rewind() { at_ = 0; }

  /// False when every branch has been taken.
  bool next() {
    while (!branches_.empty() && branches_.back().taken + 1 == branches_.back().count)
      branches_.pop_back();
    if (branches_.empty()) return false;
    ++branches_.back().taken;
    return true;
  }

 private:
  struct branch {
    unsigned taken, count;
  };
  std::vector<branch> branches_;
  std::size_t at_ = 0;
};

}  // namespace heapsmith::model
