// One misuse that hardened builds tell, in one process, which must abort: checked CASE.
#include <cstdio>
#include <string_view>
#include <utility>

#include "heapsmith/containers/list.hpp"
#include "heapsmith/containers/map.hpp"
#include "heapsmith/heap.hpp"
#include "heapsmith/pool.hpp"
#include "heapsmith/soa_pool.hpp"

namespace {

using namespace heapsmith;

volatile int seen;

template <class Use>
void use_moved_heap(Use use) {
  heap from;
  const heap to(std::move(from));
  use(from);
}

void moved_heap_allocates() {
  use_moved_heap([](heap& h) { static_cast<void>(h.try_allocate(100)); });
}
void moved_heap_resets() {
  use_moved_heap([](heap& h) { h.reset(); });
}
void moved_heap_gets_a_limit() {
  use_moved_heap([](heap& h) { h.set_limit(1 << 20); });
}
void moved_heap_is_measured() {
  use_moved_heap([](heap& h) { static_cast<void>(h.stats()); });
}

void iterator_of_moved_pool() {
  pool<int> from;
  from.emplace(1);
  const auto first = from.begin();
  const auto to = std::move(from);
  seen = *first;
}

void step_in_moved_columns() {
  soa_pool<columns<int, double>> from;
  from.emplace(1, 2.0);
  auto first = from.begin();
  const auto to = std::move(from);
  ++first;
}

void iterator_of_moved_list() {
  list<int> from;
  from.push_front(1);
  const auto first = from.begin();
  const auto to = std::move(from);
  seen = *first;
}

void iterator_of_moved_map() {
  map<int, int> from;
  from.insert_or_assign(1, 2);
  const auto first = from.begin();
  const auto to = std::move(from);
  seen = first->second;
}

void iterator_of_erased_row() {
  pool<int> rows;
  const auto i = rows.emplace(1);
  rows.emplace(2);
  const auto first = rows.begin();
  rows.erase(i);
  seen = *first;
}

struct misuse {
  const char* name;
  void (*run)();
};

#define CASE(name) {#name, name}
constexpr misuse cases[] = {
    CASE(moved_heap_allocates),   CASE(moved_heap_resets),      CASE(moved_heap_gets_a_limit),
    CASE(moved_heap_is_measured), CASE(iterator_of_moved_pool), CASE(step_in_moved_columns),
    CASE(iterator_of_moved_list), CASE(iterator_of_moved_map),  CASE(iterator_of_erased_row),
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const misuse& each : cases)
    if (each.name == std::string_view(argv[1])) return each.run(), std::puts("went on"), 0;
  return 2;
}
