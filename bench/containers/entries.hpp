// The runs of the suite `containers`, in two units that compile side by side.
#pragma once

#include <vector>

#include "contenders/kinds.hpp"
#include "contenders/new.hpp"
#include "contenders/peers.hpp"
#include "support/suite.hpp"

namespace bench {

/// list, stack and queue.
std::vector<entry> sequence_entries();

/// set, map and churn.
std::vector<entry> tree_entries();

template <class... Contenders>
struct contenders {};

/// The contenders of all workloads.
using of_all_workloads =
    contenders<new_glibc, new_heapsmith, standard_containers, standard_on_heapsmith, boost_pool,
               pool_fixed, pool_growable, free_list_fixed, free_list_growable, soa_fixed,
               soa_growable, soa_free_list_fixed, soa_free_list_growable>;

}  // namespace bench
