// From an address to its heap, without an abort if it has none.
#include "adapt/dialects/owner.hpp"

#include "heap/emergency.hpp"
#include "slabs/find.hpp"
#include "spans/direct_maps.hpp"

namespace heapsmith::dialects {

owner owner_of(const void* p) {
  if (spans::record* r = find_record(p)) {
    if (const slab* s = slab_of(r)) return {true, record_of(s)->account};
    if (kind_of(r) == slice_kind::large) return {true, r->account};
    return {};
  }
  if (emergency::owns(p)) return {true};
  if (spans::had_direct_maps() && spans::direct_map_bytes(p) != 0)
    return {true, spans::direct_map_account(p)};
  return {};
}

}  // namespace heapsmith::dialects
