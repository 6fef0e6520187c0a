// The suite `containers`: all runs of set, map and churn.

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

std::vector<bench::entry> bench::tree_entries() {
  std::vector<entry> all;
  add(all, of_all_workloads());
  add_trees<absl_btree>(all);
  add_trees<overlapping>(all);
  return all;
}
