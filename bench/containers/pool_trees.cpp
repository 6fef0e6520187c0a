// The suite `containers`: all runs of set, map and churn in typed pools.

#include <vector>

#include "containers/entries.hpp"
#include "containers/tree_workloads.hpp"

namespace {

template <class... Contenders>
void add(std::vector<bench::entry>& all, bench::contenders<Contenders...>) {
  (bench::add_trees<Contenders>(all), ...);
}

}  // namespace

std::vector<bench::entry> bench::pool_tree_entries() {
  std::vector<entry> all;
  add(all, typed_pools());
  return all;
}
