// The runs of the suite `containers`, in units that compile side by side.
#pragma once

#include <vector>

#include "contenders/kinds.hpp"
#include "contenders/new.hpp"
#include "contenders/peers.hpp"
#include "support/suite.hpp"

namespace bench {

/// list, stack and queue.
std::vector<entry> sequence_entries();

/// set, map and churn: in typed pools, and elsewhere.
std::vector<entry> pool_tree_entries();
std::vector<entry> other_tree_entries();

template <class... Contenders>
struct contenders {};

using typed_pools =
    contenders<pool_fixed, pool_growable, free_list_fixed, free_list_growable, soa_fixed,
               soa_growable, soa_free_list_fixed, soa_free_list_growable>;
using their_peers =
    contenders<new_glibc, new_heapsmith, standard_containers, standard_on_heapsmith, boost_pool>;

}  // namespace bench
