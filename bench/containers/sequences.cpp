// The suite `containers`: all runs of list, stack and queue.

#include <vector>

#include "containers/entries.hpp"
#include "containers/overlapping_sequences.hpp"
#include "containers/sequence_workloads.hpp"

namespace {

template <class... Contenders>
void add(std::vector<bench::entry>& all, bench::contenders<Contenders...>) {
  (bench::add_sequences<Contenders>(all), ...);
}

}  // namespace

std::vector<bench::entry> bench::sequence_entries() {
  std::vector<entry> all;
  add_sequences<limit>(all);
  add(all, their_peers());
  add(all, typed_pools());
  add_sequences<overlapping>(all);
  return all;
}
