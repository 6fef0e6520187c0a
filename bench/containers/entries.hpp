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
    contenders<own_fixed_deque_pool, own_deque_pool, own_fixed_pool, own_pool,
               own_soa_fixed_deque_pool, own_soa_deque_pool, own_soa_fixed_pool, own_soa_pool>;
using their_peers =
    contenders<new_glibc, new_heapsmith, standard_containers, standard_on_heapsmith, boost_pool>;

}  // namespace bench
