// The suite `pools`: elements in the slots of typed pools, and of their peers.

#include <vector>

#include "pools/overlapping_slots.hpp"
#include "pools/workloads.hpp"

namespace {

using namespace bench;

template <class... Contenders>
std::vector<entry> entries() {
  std::vector<entry> all;
  (add_slots<Contenders>(all), ...);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const auto all = entries<limit, new_glibc, new_heapsmith, standard_containers,
                           standard_on_heapsmith, boost_pool, overlapping, pool_fixed,
                           pool_growable, free_list_fixed, free_list_growable, soa_fixed,
                           soa_growable, soa_free_list_fixed, soa_free_list_growable>();
  return bench::suite("pools", all).main(argc, argv);
}
