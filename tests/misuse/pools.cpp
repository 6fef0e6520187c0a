// Misuse of typed pools: misuse_pools CASE. The process is expected to abort with one line.
#include <cstdio>
#include <string_view>
#include <vector>

#include "heapsmith/containers/queue.hpp"
#include "heapsmith/containers/set.hpp"
#include "heapsmith/containers/stack.hpp"
#include "heapsmith/inline_pool.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace {

using namespace heapsmith;
using handled = pool<int, policy::with_handles>;

void stale_handle() {
  handled p;
  p.emplace_handle(0);
  const auto h = p.emplace_handle(1);
  p.erase(h);
  p.emplace_handle(2);  // in the same slot
  p[h] = 3;
}

void stale_handle_column() {
  soa_pool<columns<int, double>, policy::with_handles> p;
  const auto h = p.emplace_handle(1, 2.0);
  p.clear();
  p.get<1>(h) = 3;
}

void foreign_handle() {
  handled p, q;
  const auto h = p.emplace_handle(1);
  q.emplace_handle(1);
  q[h] = 2;
}

void null_handle() {
  handled p;
  p.emplace_handle(1);
  p.erase(handle<int>());
}

void handle_erased_twice() {
  handled p;
  const auto h = p.emplace_handle(1);
  p.erase(h);
  p.erase(h);
}

void double_erase() {
  pool<int> p;
  p.emplace(1);
  const auto i = p.emplace(2);
  p.erase(i);
  p.erase(i);
}

void double_erase_columns() {
  soa_fixed_pool<columns<int, char>> p(4);
  const auto i = p.emplace(1, 'a');
  p.erase(i);
  p.erase(i);
}

void never_added() {
  deque_pool<int> p;
  p.emplace(1);
  p.at(7) = 2;
}

void overflow() {
  fixed_deque_pool<int> p(3);
  for (int i = 0; i < 4; ++i) p.emplace(i);
}

void overflow_in_front() {
  fixed_pool<int> p(3);
  p.emplace(1);
  p.emplace_front(2);
}

void overflow_of_a_queue() {
  queue<int, soa_fixed_deque_pool> q(2);
  q.push(1);
  q.push(2);
  q.pop();
  q.push(3);
  q.push(4);
}

void pop_of_an_empty_stack() {
  stack<int> s;
  s.pop();
}

void inline_pool_overflow() {
  inline_pool<int, 1> p;
  p.emplace(1);
  p.emplace(2);
}

void inline_pool_double_erase() {
  inline_pool<int, 2> p;
  const auto i = p.emplace(1);
  p.erase(i);
  p.erase(i);
}

void unordered_build() {
  set<int> s;
  s.build(std::vector{1, 3, 2});
}

struct named_case {
  std::string_view name;
  void (*run)();
};
#define CASE(name) {#name, name}
constexpr named_case cases[] = {
    CASE(stale_handle),         CASE(stale_handle_column),      CASE(foreign_handle),
    CASE(null_handle),          CASE(handle_erased_twice),      CASE(double_erase),
    CASE(never_added),          CASE(double_erase_columns),     CASE(overflow),
    CASE(overflow_in_front),    CASE(overflow_of_a_queue),      CASE(pop_of_an_empty_stack),
    CASE(inline_pool_overflow), CASE(inline_pool_double_erase), CASE(unordered_build),
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const named_case& c : cases)
    if (c.name == argv[1]) return c.run(), std::puts("went on"), 0;
  return 2;
}
