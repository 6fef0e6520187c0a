// The suite `containers`: lists, stacks, queues, sets and maps in typed pools, and others.

#include <vector>

#include "containers/overlapping_elements.hpp"
#include "containers/sequence_workloads.hpp"
#include "containers/tree_workloads.hpp"

namespace {

using namespace bench;

template <class... Contenders>
void add(std::vector<entry>& all) {
  (add_sequences<Contenders>(all), ...);
  (add_trees<Contenders>(all), ...);
}

std::vector<entry> entries() {
  std::vector<entry> all;
  add_sequences<limit>(all);
  add<new_glibc, new_heapsmith, standard_containers, standard_on_heapsmith, boost_pool, pool_fixed,
      pool_growable, free_list_fixed, free_list_growable, soa_fixed, soa_growable,
      soa_free_list_fixed, soa_free_list_growable>(all);
  add_trees<absl_btree>(all);
  add<overlapping>(all);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::suite("containers", entries()).main(argc, argv);
}
