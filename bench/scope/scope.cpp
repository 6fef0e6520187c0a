// The suite `scope`: two million objects, with destructors or without, made one after another and
// ended together. The runner's rounds are the repetitions.

#include <vector>

#include "contenders/arenas.hpp"
#include "contenders/limit.hpp"
#include "contenders/new.hpp"
#include "contenders/overlapping.hpp"
#include "contenders/polymorphic.hpp"
#include "contenders/protobuf.hpp"
#include "workloads/objects.hpp"

namespace {

using namespace bench;

object_counts counts(const request& wanted) {
  return {wanted.choose<std::size_t>(2'000'000, 200'000, 2'000), wanted.choose(1U, 3U, 1U)};
}

template <std::size_t... Bytes>
struct sizes {};

using measured = sizes<64, 256, 1024>;

template <class Contender, std::size_t... Bytes>
void add_trivial(std::vector<entry>& all, sizes<Bytes...>) {
  (all.push_back(trivial_entry<Contender, Bytes, counts>()), ...);
}

template <class Contender, std::size_t... Bytes>
void add_destroyed(std::vector<entry>& all, sizes<Bytes...>) {
  (all.push_back(destroyed_entry<Contender, Bytes, counts>()), ...);
}

template <class... Contenders>
void add_all_trivial(std::vector<entry>& all) {
  (add_trivial<Contenders>(all, measured()), ...);
}

template <class... Contenders>
void add_all_destroyed(std::vector<entry>& all) {
  (add_destroyed<Contenders>(all, measured()), ...);
}

std::vector<entry> entries() {
  std::vector<entry> all;
  add_all_trivial<limit, new_glibc, new_heapsmith, bench::scope, monotonic<standard_library>,
                  monotonic<boost_container>, protobuf_arena, overlapping>(all);
  add_all_destroyed<limit, new_glibc, new_heapsmith, bench::scope, protobuf_arena, overlapping>(
      all);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::suite("scope", entries()).main(argc, argv);
}
