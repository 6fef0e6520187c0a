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
                           standard_on_heapsmith, boost_pool, overlapping, own_fixed_deque_pool,
                           own_deque_pool, own_fixed_pool, own_pool, own_soa_fixed_deque_pool,
                           own_soa_deque_pool, own_soa_fixed_pool, own_soa_pool>();
  return bench::suite("pools", all).main(argc, argv);
}
