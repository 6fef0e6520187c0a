// The suite `allocator`: vectors that grow, in memory from std::allocator and heapsmith::allocator;
// and first-class heaps compared with the global heap.

#include <vector>

#include "allocator/ending.hpp"
#include "allocator/grow.hpp"
#include "allocator/heaps.hpp"
#include "allocator/own_allocator.hpp"
#include "contenders/limit.hpp"
#include "contenders/new.hpp"
#include "contenders/overlapping.hpp"
#include "workloads/nodes.hpp"

namespace {

template <class Contender>
void add_heap_entries(std::vector<bench::entry>& all) {
  bench::add_node_entries<Contender>(all, {1, 10});
  bench::add_ending_entries<Contender>(all);
}

std::vector<bench::entry> entries() {
  std::vector<bench::entry> all;
  bench::add_grow_entries<bench::limit_of_growth>(all);
  bench::add_grow_entries<bench::new_glibc>(all);
  bench::add_grow_entries<bench::new_heapsmith>(all);
  bench::add_grow_entries<bench::own_allocator>(all);
  bench::add_grow_entries<bench::overlapping>(all);
  add_heap_entries<bench::first_class_heap>(all);
  add_heap_entries<bench::global_heap>(all);
  add_heap_entries<bench::new_glibc>(all);
  add_heap_entries<bench::overlapping>(all);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::suite("allocator", entries()).main(argc, argv);
}
