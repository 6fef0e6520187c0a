// The suite `containers`: lists, stacks, queues, sets and maps in typed pools, and their peers.

#include <vector>

#include "containers/entries.hpp"

int main(int argc, char** argv) {
  std::vector<bench::entry> all;
  for (const auto& some :
       {bench::sequence_entries(), bench::other_tree_entries(), bench::pool_tree_entries()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return bench::suite("containers", all).main(argc, argv);
}
