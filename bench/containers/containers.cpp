// The suite `containers`: lists, stacks, queues, sets and maps in typed pools, and others.

#include <vector>

#include "containers/entries.hpp"

int main(int argc, char** argv) {
  std::vector<bench::entry> all = bench::sequence_entries();
  const std::vector<bench::entry> trees = bench::tree_entries();
  all.insert(all.end(), trees.begin(), trees.end());
  return bench::suite("containers", all).main(argc, argv);
}
