// Every operation of every container, with elements that call this container at every point.
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "containers/torture.hpp"
#include "heapsmith/containers/list.hpp"
#include "heapsmith/containers/map.hpp"
#include "heapsmith/containers/queue.hpp"
#include "heapsmith/containers/set.hpp"
#include "heapsmith/containers/stack.hpp"

namespace heapsmith::torture {
namespace {

/// One container, and another one of its type. In a process that ends at once, they stay.
template <class C>
struct pair_of {
  C* c = nullptr;
  C* other = nullptr;

  static C* fresh() {
    if constexpr (C::pool_type::policy_type::is_fixed)
      return new C(40u);
    else
      return new C();
  }
  void set_up() { c = fresh(), other = fresh(); }
  /// The steps that containers of all kinds have, within others and by themselves.
  void add_common(subject& s) {
    for (auto* steps : {&s.operations, &s.calls}) {
      steps->push_back({"clear", [this] { c->clear(); }});
      steps->push_back({"move", [this] { C moved(std::move(*c)); }});
      steps->push_back({"assign", [this] { *c = std::move(*other); }});
      steps->push_back({"swap", [this] { std::swap(*c, *other); }});
      steps->push_back({"check", [this] { static_cast<void>(c->check()); }});
    }
    s.operations.push_back({"destroy", [this] {
                              c->~C();
                              ::new (static_cast<void*>(c)) C(std::move(*other));
                            }});
    s.calls.push_back({"throw", {}, true});
  }
};

template <class C>
constexpr bool is_map = requires { typename C::mapped_type; };

template <class C>
bool put(C& c, int k) {
  if constexpr (!is_map<C>)
    return c.insert(element(number{k})).second;
  else
    return c.insert(typename C::key_type(number{k}.value), element(number{k})).second;
}

/// The elements are in order, can be found, and live.
template <class C>
void look(const C& c) {
  std::size_t n = 0;
  int before = -1;
  for (auto it = c.begin(); it != c.end(); ++it, ++n) {
    int key;
    if constexpr (is_map<C>) {
      key = value_of((*it).first);
      static_cast<void>(value_of((*it).second));
    } else {
      key = value_of(*it);
    }
    must(key > std::exchange(before, key), "the order is wrong");
    must(c.contains(number{key}), "an element cannot be found");
  }
  must(n == c.size() && c.empty() == (n == 0), "the size is wrong");
}
template <class C>
void verify(const C& c) {
  look(c);
  must(c.check() == 0, "an invariant does not hold");
  if constexpr (C::pool_type::policy_type::reuses)
    must(c.pool().size() == c.size(), "a node is not linked");
}

template <class C>
void build(C& c) {
  std::conditional_t<is_map<C>, std::vector<std::pair<int, number>>, std::vector<number>> v;
  for (int k = 100; k < 105; ++k)
    if constexpr (is_map<C>)
      v.emplace_back(k, number{k});
    else
      v.push_back({k});
  c.build(v);
}

template <class C>
void torture_ordered() {
  pair_of<C> p;
  subject s;
  s.set_up = [&](int size) {
    p.set_up();
    for (int k = 0; k < size; ++k) put(*p.c, k * 7 % size * 10);
    for (int k = 0; k < 3; ++k) put(*p.other, k);
  };
  s.verify = [&] {
    verify(*p.c), verify(*p.other);
    put(*p.c, 777);
    verify(*p.c);
    delete p.c, delete p.other;
  };
  s.operations = {
      {"insert", [&] { put(*p.c, 55); }},
      {"insert of an equal one", [&] { put(*p.c, 10); }},
      {"erase", [&] { p.c->erase(number{10}); }},
      {"erase(iterator)",
       [&] {
         if (const auto it = p.c->find(number{10}); it != p.c->end()) p.c->erase(it);
       }},
      {"lower_bound", [&] { static_cast<void>(p.c->lower_bound(number{11}) == p.c->end()); }},
  };
  if constexpr (is_map<C>) {
    s.operations.push_back({"assign", [&] { p.c->insert_or_assign(10, element(number{1})); }});
    s.operations.push_back({"[]", [&] { (*p.c)[55] = element(number{1}); }});
  } else {
    s.operations.push_back({"insert(number)", [&] { p.c->insert(number{55}); }});
  }
  s.calls = {
      {"find", [&] { look(*p.c); }},
      {"insert", [&] { put(*p.c, 501); }},
      {"insert of the same", [&] { put(*p.c, 55); }},
      {"insert, erase", [&] { put(*p.c, 501), p.c->erase(number{501}); }},
      {"erase",
       [&] {
         if (!p.c->empty()) p.c->erase(p.c->begin());
       }},
      {"erase of all",
       [&] {
         while (!p.c->empty()) p.c->erase(p.c->begin());
       }},
      {"clear, insert",
       [&] {
         p.c->clear();
         for (int k = 0; k < 7; ++k) put(*p.c, 301 + k);
       }},
      {"build", [&] { build(*p.c); }},
  };
  s.operations.push_back({"build", [&] { build(*p.c); }});
  p.add_common(s);
  // A comparison that throws ends a check(), which is noexcept.
  std::erase_if(s.operations, [](const step& o) { return std::string(o.name) == "check"; });
  torture(s, {0, 16});  // a pool of 16 rows is full
}

template <class C>
void torture_list() {
  pair_of<C> p;
  subject s;
  const auto push = [&] { p.c->push_front(element(number{1})); };
  const auto pop = [&] {
    if (!p.c->empty()) p.c->pop_front();
  };
  const auto look = [&](C& c) {
    std::size_t n = 0;
    for (const auto& v : c) n += value_of(v) != 0;
    must(n == c.length(c.root()), "a cell has no value");
    must(c.empty() == (n == 0), "the list is empty, or not");
  };
  s.set_up = [&](int size) {
    p.set_up();
    for (int i = 0; i < size; ++i) push();
    static_cast<void>(p.other->cons(element(number{1}), C::nil()));
    p.other->push_front(element(number{1}));
  };
  s.verify = [&, look] {
    look(*p.c), look(*p.other);
    must(p.c->check() == 0 && p.other->check() == 0, "an invariant does not hold");
    push();
    look(*p.c);
    delete p.c, delete p.other;
  };
  s.operations = {
      {"push", push}, {"pop", pop}, {"push(number)", [&] { p.c->push_front(number{1}); }}};
  s.calls = {{"push", push},
             {"pop", pop},
             {"look", [&, look] { look(*p.c); }},
             {"pop of all",
              [&, pop] {
                while (!p.c->empty()) pop();
              }},
             {"clear, push", [&, push] { p.c->clear(), push(); }}};
  if constexpr (requires { p.c->collect({}); })
    for (auto* steps : {&s.operations, &s.calls})
      steps->push_back({"collect", [&] {
                          const std::vector<typename C::cell> none = {p.c->root()};
                          p.c->collect(none);
                        }});
  p.add_common(s);
  torture(s, {0, 16});
}

template <class C>
void torture_sequence() {
  pair_of<C> p;
  subject s;
  const auto push = [&] { p.c->push(element(number{1})); };
  const auto pop = [&] {
    if (!p.c->empty()) p.c->pop();
  };
  s.set_up = [&](int size) {
    p.set_up();
    for (int i = 0; i < size; ++i) push();
    p.other->push(number{1});
  };
  s.verify = [&, push] {
    push();
    for (C* c : {p.c, p.other}) {
      std::size_t n = 0;
      for (const auto& v : *c) n += value_of(v) != 0;
      must(n == c->size() && c->check() == 0, "a value is missing");
    }
    delete p.c, delete p.other;
  };
  s.operations = {{"push", push}, {"pop", pop}, {"push(number)", [&] { p.c->push(number{1}); }}};
  s.calls = {{"push", push}, {"pop", pop}, {"clear, push", [&, push] { p.c->clear(), push(); }}};
  if constexpr (requires { p.c->shrink_to_fit(); })
    for (auto* steps : {&s.operations, &s.calls})
      steps->push_back({"shrink", [&] { p.c->shrink_to_fit(); }});
  p.add_common(s);
  torture(s, {0, 16});
}

template <class T, class... P>
using stable_pool = pool<T, policy::stable, P...>;

TEST(Torture, SetInRows) {
  torture_ordered<set<element, comparison>>();
}
TEST(Torture, SetInColumns) {
  torture_ordered<set<element, comparison, soa_pool>>();
}
TEST(Torture, SetInADequePool) {
  torture_ordered<set<element, comparison, soa_deque_pool>>();
}
TEST(Torture, SetInPieces) {
  torture_ordered<set<element, comparison, stable_pool>>();
}
TEST(Torture, MapInRows) {
  torture_ordered<map<int, element, comparison>>();
}
TEST(Torture, MapInColumns) {
  torture_ordered<map<int, element, comparison, soa_pool>>();
}
TEST(Torture, MapInAFixedPool) {
  torture_ordered<map<int, element, comparison, soa_fixed_pool>>();
}
TEST(Torture, ListInRows) {
  torture_list<list<element>>();
}
TEST(Torture, ListInColumns) {
  torture_list<list<element, soa_pool>>();
}
TEST(Torture, ListInADequePool) {
  torture_list<list<element, deque_pool>>();
}
TEST(Torture, QueueInRows) {
  torture_sequence<queue<element>>();
}
TEST(Torture, QueueInColumns) {
  torture_sequence<queue<element, soa_deque_pool>>();
}
TEST(Torture, QueueInARing) {
  torture_sequence<queue<element, soa_fixed_deque_pool>>();
}
TEST(Torture, StackInRows) {
  torture_sequence<stack<element>>();
}
TEST(Torture, StackInColumns) {
  torture_sequence<stack<element, soa_deque_pool>>();
}

}  // namespace
}  // namespace heapsmith::torture
