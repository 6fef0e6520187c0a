// The suite `arena`: containers and small objects in memory that ends all at once.

#include <vector>

#include "arena/list.hpp"
#include "arena/vector.hpp"
#include "contenders/arenas.hpp"
#include "contenders/limit.hpp"
#include "contenders/new.hpp"
#include "contenders/overlapping.hpp"
#include "contenders/polymorphic.hpp"
#include "contenders/protobuf.hpp"
#include "workloads/objects.hpp"

namespace {

using namespace bench;

/// As many objects as fit in the second-level cache, so that the code is compared, not the memory.
template <std::size_t Bytes>
object_counts in_cache(const request& wanted) {
  return {(256 << 10) / Bytes, wanted.choose(2000U, 500U, 2U)};
}

template <std::size_t... Bytes>
struct sizes {};

template <class Contender, std::size_t... Bytes>
void add_objects(std::vector<entry>& all, sizes<Bytes...>) {
  (all.push_back(trivial_entry<Contender, Bytes, in_cache<Bytes>>()), ...);
}

template <class... Contenders>
void add_all_objects(std::vector<entry>& all) {
  (add_objects<Contenders>(all, sizes<16, 32, 64, 128, 256>()), ...);
}

std::vector<entry> entries() {
  using std_monotonic = monotonic<standard_library>;
  using boost_monotonic = monotonic<boost_container>;
  using std_on_stack = monotonic<standard_library, true>;
  using boost_on_stack = monotonic<boost_container, true>;
  using std_pool = pool_on_monotonic<standard_library>;
  using boost_pool = pool_on_monotonic<boost_container>;
  std::vector<entry> all = {
      list_entry<limit>(),          list_entry<new_glibc>(),         list_entry<new_heapsmith>(),
      list_entry<arena>(),          list_entry<pool_on_arena>(),     list_entry<std_monotonic>(),
      list_entry<std_pool>(),       list_entry<boost_monotonic>(),   list_entry<boost_pool>(),
      list_entry<overlapping>(),    vector_entry<limit_of_growth>(), vector_entry<new_glibc>(),
      vector_entry<arena>(),        vector_entry<new_heapsmith>(),   vector_entry<inline_arena>(),
      vector_entry<std_on_stack>(), vector_entry<boost_on_stack>(),  vector_entry<overlapping>(),
  };
  add_all_objects<limit, new_glibc, new_heapsmith, arena, std_monotonic, boost_monotonic,
                  protobuf_arena, overlapping>(all);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::suite("arena", entries()).main(argc, argv);
}
