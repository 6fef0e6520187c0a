// The suite `allocator`: vectors that grow, in memory from std::allocator and heapsmith::allocator.

#include <vector>

#include "contenders/limit.hpp"
#include "contenders/new.hpp"
#include "contenders/overlapping.hpp"
#include "contenders/own_allocator.hpp"
#include "workloads/grow.hpp"

namespace {

std::vector<bench::entry> entries() {
  std::vector<bench::entry> all;
  bench::add_grow_entries<bench::limit_of_growth>(all);
  bench::add_grow_entries<bench::new_glibc>(all);
  bench::add_grow_entries<bench::new_heapsmith>(all);
  bench::add_grow_entries<bench::own_allocator>(all);
  bench::add_grow_entries<bench::overlapping>(all);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::suite("allocator", entries()).main(argc, argv);
}
