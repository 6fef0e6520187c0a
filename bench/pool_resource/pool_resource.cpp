// The suite `pool_resource`: nodes allocated and deallocated one by one, within a thread and
// between threads.

#include <vector>

#include "contenders/new.hpp"
#include "contenders/overlapping.hpp"
#include "contenders/polymorphic.hpp"
#include "pool_resource/own_pools.hpp"
#include "workloads/nodes.hpp"

namespace {

using namespace bench;

std::vector<entry> entries() {
  const std::vector<unsigned> one = {1};
  const std::vector<unsigned> any = {1, 2, 10};
  std::vector<entry> all;
  add_node_entries<new_glibc>(all, any);
  add_node_entries<new_heapsmith>(all, any);
  add_node_entries<pool>(all, one);
  add_node_entries<unsync_pool<standard_library>>(all, one);
  add_node_entries<unsync_pool<boost_container>>(all, one);
  add_node_entries<synchronized_pool>(all, any);
  add_node_entries<sync_pool<standard_library>>(all, any);
  add_node_entries<sync_pool<boost_container>>(all, any);
  add_node_entries<overlapping>(all, any);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::suite("pool_resource", entries()).main(argc, argv);
}
