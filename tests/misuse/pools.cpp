// Misuse of typed pools: misuse_pools CASE. The process is expected to stop with one line.
#include <cstdio>
#include <string_view>
#include <vector>

#include "heapsmith/containers/queue.hpp"
#include "heapsmith/containers/set.hpp"
#include "heapsmith/containers/stack.hpp"
#include "heapsmith/fixed_pool.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace {

using namespace heapsmith;
using handled = pool<int, policy::with_handles>;

void stale_handle() {
  handled p;
  p.make(0);
  const auto h = p.make(1);
  p.deallocate(h);
  p.make(2);  // in the same slot
  p[h] = 3;
}

void stale_handle_column() {
  soa_pool<columns<int, double>, policy::with_handles> p;
  const auto h = p.make(1, 2.0);
  p.clear_to_begin();
  p.get<1>(h) = 3;
}

void foreign_handle() {
  handled p, q;
  const auto h = p.make(1);
  q.make(1);
  q[h] = 2;
}

void null_handle() {
  handled p;
  p.make(1);
  p.deallocate(handle<int>());
}

void handle_freed_twice() {
  handled p;
  const auto h = p.make(1);
  p.deallocate(h);
  p.deallocate(h);
}

void double_free() {
  pool<int> p;
  p.allocate_end(1);
  const auto i = p.allocate_end(2);
  p.deallocate(i);
  p.deallocate(i);
}

void double_free_columns() {
  soa_free_list_fixed<columns<int, char>> p(4);
  const auto i = p.allocate_end(1, 'a');
  p.deallocate(i);
  p.deallocate(i);
}

void never_allocated() {
  pool_growable<int> p;
  p.allocate_end(1);
  p.at(7) = 2;
}

void overflow() {
  pool_fixed<int> p(3);
  for (int i = 0; i < 4; ++i) p.allocate_end(i);
}

void overflow_in_front() {
  free_list_fixed<int> p(3);
  p.allocate_end(1);
  p.allocate_begin(2);
}

void overflow_of_a_queue() {
  queue<int, soa_fixed> q(2);
  q.push(1);
  q.push(2);
  q.pop();
  q.push(3);
  q.push(4);
}

void pop_of_nothing() {
  stack<int> s;
  s.pop();
}

void fixed_pool_overflow() {
  fixed_pool<int, 1> p;
  p.allocate(1);
  p.allocate(2);
}

void fixed_pool_double_free() {
  fixed_pool<int, 2> p;
  const auto i = p.allocate(1);
  p.deallocate(i);
  p.deallocate(i);
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
    CASE(stale_handle),        CASE(stale_handle_column),    CASE(foreign_handle),
    CASE(null_handle),         CASE(handle_freed_twice),     CASE(double_free),
    CASE(never_allocated),     CASE(double_free_columns),    CASE(overflow),
    CASE(overflow_in_front),   CASE(overflow_of_a_queue),    CASE(pop_of_nothing),
    CASE(fixed_pool_overflow), CASE(fixed_pool_double_free), CASE(unordered_build),
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const named_case& c : cases)
    if (c.name == argv[1]) return c.run(), std::puts("went on"), 0;
  return 2;
}
