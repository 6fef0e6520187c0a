// The negative control of sets and maps: elements in blocks that overlap.
//
// The structure that finds the elements is sound, so a fault shows in the elements alone and ends
// in a failed check.
#pragma once

#include <cstddef>
#include <new>
#include <set>

#include "containers/trees.hpp"
#include "contenders/overlapping.hpp"

namespace bench {

template <std::size_t P>
class ordered<overlapping, P> {
  struct element {
    int key;
    [[no_unique_address]] payload<P> value;
  };
  struct before {
    using is_transparent = void;
    static int key_of(int key) { return key; }
    static int key_of(const element* e) { return e->key; }
    bool operator()(const auto& a, const auto& b) const { return key_of(a) < key_of(b); }
  };

 public:
  explicit ordered(std::size_t) {}
  void insert(int key, const payload<P>& value) {
    if (!has(key)) all_.insert(::new (blocks_.allocate(sizeof(element))) element{key, value});
  }
  bool has(int key) const { return all_.contains(key); }
  void erase(int key) {
    if (const auto found = all_.find(key); found != all_.end()) all_.erase(found);
  }
  bool empty() const { return all_.empty(); }
  void clear() { all_.clear(); }
  template <class Visit>
  void each(Visit visit) const {
    for (const element* e : all_) visit(e->key, P == 0 ? 0.0 : e->value.values[0]);
  }

 private:
  overlapping_blocks blocks_;
  std::set<element*, before> all_;
};

}  // namespace bench
