// The suite `growth`: how the cost of a step grows with the number of elements.

#include <vector>

#include "growth/cases.hpp"
#include "growth/measure.hpp"

namespace {

using namespace bench;
namespace policy = heapsmith::policy;

struct standard {
  static constexpr const char* name = "std";
  static std::string version() { return std::to_string(__GLIBCXX__); }
};
struct own {
  static constexpr const char* name = "heapsmith";
  static std::string version() { return hs_version(); }
};
struct own_stable : own {
  static constexpr const char* name = "stable";
};
struct own_columns : own {
  static constexpr const char* name = "columns";
};
struct own_plain : own {
  static constexpr const char* name = "without-handles";
};

using rows = heapsmith::pool<pair_row, policy::with_handles>;
using stable_rows = heapsmith::pool<pair_row, policy::with_handles, policy::stable>;
using columns = heapsmith::soa_pool<pair_row, policy::with_handles>;
using plain_rows = heapsmith::pool<pair_row>;

std::vector<entry> all;

template <class Contender, class Case>
void add(const char* workload) {
  all.push_back(make_entry<Contender>(workload, {1}, measure_growth<Case>));
}

template <template <class> class Case, class Standard>
void add_pools(const char* workload) {
  add<standard, Standard>(workload);
  add<own, Case<rows>>(workload);
  add<own_stable, Case<stable_rows>>(workload);
  add<own_columns, Case<columns>>(workload);
  add<own_plain, Case<plain_rows>>(workload);
}

}  // namespace

int main(int argc, char** argv) {
  add_pools<pop_back, deque_pop_back>("pool-pop-back");
  add_pools<pop_front, deque_pop_front>("pool-pop-front");
  add_pools<erase_first, list_erase_first>("pool-erase-first");
  add_pools<few_left, list_few_left>("pool-few-left");

  add<own, region_grow>("region-grow");
  add<own, replace<region_blocks>>("region-replace");
  add<standard, replace<malloc_blocks>>("region-replace");
  add<own, replace<resource_blocks<heapsmith::unsynchronized_pool<>>>>("pool-resource-replace");
  add<standard, replace<resource_blocks<std::pmr::unsynchronized_pool_resource>>>(
      "pool-resource-replace");

  add<own, exchange_keys<heapsmith::set<std::uint64_t>>>("set-exchange");
  add<standard, exchange_keys<std::set<std::uint64_t>>>("set-exchange");
  add<own, erase_least<heapsmith::set<std::uint64_t>>>("set-erase-least");
  add<standard, erase_least<std::set<std::uint64_t>>>("set-erase-least");

  add<own, arena_turns>("arena-checkpoint");
  add<standard, vector_turns>("arena-checkpoint");
  return bench::suite("growth", all).main(argc, argv);
}
