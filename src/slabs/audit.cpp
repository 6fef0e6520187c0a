// The invariants of slabs/audit.hpp, by name.
#include "slabs/audit.hpp"

#include "heapsmith/detail/check.hpp"
#include "slabs/bins.hpp"

namespace heapsmith {
namespace {

/// How many blocks the slab's own list holds; one more than were carved if it does not end.
[[maybe_unused]] std::uint32_t list_length(const slab* s) {
  std::uint32_t n = 0;
  for (const block* b = s->free; b != nullptr && n <= s->carved.load(relaxed); b = b->next) ++n;
  return n;
}

void table_agrees(const thread_heap& h) {
  for (std::size_t bytes = 0; bytes <= direct_max; ++bytes)
    HS_ASSERT(h.direct[direct_slot(bytes)] == h.current[class_of(bytes)]);
}

void list_accounts(const slab* s) {
  HS_ASSERT(list_length(s) == s->carved.load(relaxed) - blocks_in_use(s));
}

void current_is_owned(const thread_heap& h, std::size_t c) {
  const slab* s = h.current[c];
  if (s == &no_slab) return;
  HS_ASSERT(h.owns(s) && s->kind == slice_kind::slab && s->size_class == c);
  list_accounts(s);
}

/// Returns how many slabs the bin holds.
std::uint32_t bin_by_occupancy(const thread_heap& h, std::size_t c, unsigned bin) {
  std::uint32_t n = 0;
  const slab* previous = nullptr;
  for (const slab* s = h.bins[c][bin]; s != nullptr; previous = s, s = s->next, ++n) {
    const std::uint32_t used = blocks_in_use(s);
    HS_ASSERT(h.owns(s) && s->size_class == c && s->bin == bin && s->previous == previous);
    HS_ASSERT((used > below_bin(bin, s->capacity) || used == 0) &&
              bin_of(used, s->capacity) == bin);
    list_accounts(s);
  }
  return n;
}

}  // namespace

void audit(const thread_heap& h) {
  table_agrees(h);
  std::uint32_t binned = 0;
  for (std::size_t c = 0; c < class_count; ++c) {
    current_is_owned(h, c);
    for (unsigned bin = 0; bin < bin_count; ++bin) binned += bin_by_occupancy(h, c, bin);
  }
  HS_ASSERT(binned == h.binned);
}

}  // namespace heapsmith
