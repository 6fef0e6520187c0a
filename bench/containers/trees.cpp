// The suite `containers`: all runs of set, map and churn in the peers of typed pools.

#include <vector>

#include "containers/entries.hpp"
#include "containers/overlapping_trees.hpp"
#include "containers/tree_workloads.hpp"

namespace {

template <class... Contenders>
void add(std::vector<bench::entry>& all, bench::contenders<Contenders...>) {
  (bench::add_trees<Contenders>(all), ...);
}

}  // namespace

std::vector<bench::entry> bench::other_tree_entries() {
  std::vector<entry> all;
  add(all, their_peers());
  add_trees<absl_btree>(all);
  add_trees<overlapping>(all);
  return all;
}
