// Sets and maps of every contender, under one interface; without a payload it is a set.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <boost/intrusive/avl_set.hpp>
#include <cstddef>
#include <map>
#include <new>
#include <set>
#include <type_traits>

#include "contenders/kinds.hpp"
#include "contenders/new.hpp"
#include "contenders/peers.hpp"
#include "heapsmith/containers/map.hpp"
#include "heapsmith/containers/set.hpp"
#include "support/element.hpp"

namespace bench {

/// The containers of the standard library and of heapsmith, whose interfaces are alike.
template <class Container, std::size_t P>
class keyed {
 public:
  keyed(Container (*made)(std::size_t), std::size_t n) : held_(made(n)) {}

  void insert(int key, const payload<P>& value) {
    if constexpr (P == 0)
      held_.insert(key);
    else if constexpr (requires { held_.emplace(key, value); })
      held_.emplace(key, value);
    else
      held_.insert(key, value);
  }
  bool has(int key) const { return held_.find(key) != held_.end(); }
  void erase(int key) { held_.erase(key); }
  bool empty() const { return held_.empty(); }
  void clear() { held_.clear(); }

  /// Calls `visit` with every key and the first double of its payload, in order.
  template <class Visit>
  void each(Visit visit) const {
    if constexpr (P == 0) {
      for (const int key : held_) visit(key, 0.0);
    } else {
      for (auto&& [key, value] : held_) visit(key, first_of(value));
    }
  }

 private:
  template <class Value>
  static double first_of(const Value& value) {
    if constexpr (requires { value.values[0]; })
      return value.values[0];
    else
      return value.template get<0>()[0];
  }

  Container held_;
};

/// heapsmith's container in a pool of the kind `Contender`.
template <class Contender, std::size_t P>
struct ordered_in_pool {
  template <class T, class... Policies>
  using pool = typename Contender::template pool<T, Policies...>;
  using set = heapsmith::set<int, std::less<>, pool>;
  using map = heapsmith::map<int, payload<P>, std::less<>, pool>;
  using type = std::conditional_t<P == 0, set, map>;
};

template <class Contender, std::size_t P>
class ordered : public keyed<typename ordered_in_pool<Contender, P>::type, P> {
  using container = typename ordered_in_pool<Contender, P>::type;

 public:
  explicit ordered(std::size_t n) : keyed<container, P>(&Contender::template made<container>, n) {}
};

template <class Container>
Container made_empty(std::size_t) {
  return Container();
}

template <std::size_t P>
using standard_tree = std::conditional_t<P == 0, std::set<int>, std::map<int, payload<P>>>;

template <std::size_t P>
class ordered<standard_containers, P> : public keyed<standard_tree<P>, P> {
 public:
  explicit ordered(std::size_t n) : keyed<standard_tree<P>, P>(&made_empty<standard_tree<P>>, n) {}
};

template <std::size_t P>
class ordered<standard_on_heapsmith, P> : public ordered<standard_containers, P> {
  using ordered<standard_containers, P>::ordered;
};

template <std::size_t P>
using absl_tree =
    std::conditional_t<P == 0, absl::btree_set<int>, absl::btree_map<int, payload<P>>>;

template <std::size_t P>
class ordered<absl_btree, P> : public keyed<absl_tree<P>, P> {
 public:
  explicit ordered(std::size_t n) : keyed<absl_tree<P>, P>(&made_empty<absl_tree<P>>, n) {}
};

/// Boost's intrusive AVL tree, of nodes that have a block of `Blocks` each.
template <class Blocks, std::size_t P>
class intrusive {
  struct node : boost::intrusive::avl_set_base_hook<boost::intrusive::optimize_size<true>> {
    node(int k, const payload<P>& v) : key(k), value(v) {}
    int key;
    [[no_unique_address]] payload<P> value;
  };
  struct key_of_node {
    using type = int;
    int operator()(const node& n) const { return n.key; }
  };

 public:
  explicit intrusive(std::size_t) : blocks_(sizeof(node)) {}
  intrusive(const intrusive&) = delete;
  intrusive& operator=(const intrusive&) = delete;
  ~intrusive() { clear(); }

  void insert(int key, const payload<P>& value) {
    typename tree::insert_commit_data place;
    if (!tree_.insert_check(key, place).second) return;
    tree_.insert_commit(*::new (blocks_.allocate()) node(key, value), place);
  }
  bool has(int key) const { return tree_.find(key) != tree_.end(); }
  void erase(int key) {
    const auto found = tree_.find(key);
    if (found != tree_.end()) tree_.erase_and_dispose(found, disposer());
  }
  bool empty() const { return tree_.empty(); }
  void clear() { tree_.clear_and_dispose(disposer()); }

  template <class Visit>
  void each(Visit visit) const {
    for (const node& n : tree_) visit(n.key, P == 0 ? 0.0 : n.value.values[0]);
  }

 private:
  using tree = boost::intrusive::avl_set<node, boost::intrusive::key_of_value<key_of_node>,
                                         boost::intrusive::constant_time_size<false>>;

  auto disposer() {
    return [this](node* n) { blocks_.deallocate(n); };
  }

  Blocks blocks_;
  tree tree_;
};

template <std::size_t P>
class ordered<new_glibc, P> : public intrusive<new_blocks, P> {
  using intrusive<new_blocks, P>::intrusive;
};
template <std::size_t P>
class ordered<new_heapsmith, P> : public intrusive<new_blocks, P> {
  using intrusive<new_blocks, P>::intrusive;
};
template <std::size_t P>
class ordered<boost_pool, P> : public intrusive<boost_blocks, P> {
  using intrusive<boost_blocks, P>::intrusive;
};

}  // namespace bench
