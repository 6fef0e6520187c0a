// Walks over the free blocks of a slab; aborts where the list cannot be right.
#include "slabs/free_list.hpp"

#include <algorithm>

#include "os/diagnose.hpp"

namespace heapsmith {
namespace {

// A free list is wrong because of an earlier call, which the diagnosis names.
constexpr char call[] = "earlier free";
constexpr char freed_twice[] = "the block was freed twice";
constexpr char in_the_middle[] = "points into the middle of a block";
constexpr char written[] = "the block was written to after it was freed";
constexpr char incomplete[] =
    "the block was written to after it was freed, or two threads freed it at once";

/// The link in `from` leads to no block; null: the slab's own link does.
[[noreturn, gnu::cold, gnu::noinline]] void abort_at_link(const slab* s, const block* from,
                                                          const block* to) {
  const class_info& info = class_table[s->size_class];
  const auto offset = static_cast<std::size_t>(reinterpret_cast<const char*>(to) - s->start);
  if (offset < std::size_t{s->carved.load(relaxed)} * info.bytes)
    os::abort_misuse(call, to, in_the_middle);
  os::abort_misuse(call, from != nullptr ? from : to, written);
}

struct steps {
  std::uint32_t blocks = 0;
  const block* last = nullptr;  // the block reached last; null if there was none
  const block* next = nullptr;  // null: the list ended
};

/// Follows a list for at most `most` blocks, each of which must be a carved block of the slab. `from`
/// is the block that leads to the first, if there is one.
[[gnu::always_inline]] inline steps walk(const slab* s, const block* first, std::uint32_t most,
                                         const block* from = nullptr) {
  const class_info& info = class_table[s->size_class];
  const std::size_t extent = std::size_t{s->carved.load(relaxed)} * info.bytes;
  steps done = {0, from, first};
  while (done.next != nullptr && done.blocks < most) {
    const auto offset =
        static_cast<std::size_t>(reinterpret_cast<const char*>(done.next) - s->start);
    if (offset >= extent ||
        block_index(info, static_cast<std::uint32_t>(offset)) * info.bytes != offset) [[unlikely]]
      abort_at_link(s, done.last, done.next);
    done.last = done.next;
    done.next = done.next->next;
    ++done.blocks;
  }
  return done;
}

bool leads_to(const block* from, const block* to, std::uint32_t most) {
  for (; from != nullptr && most != 0; from = from->next, --most)
    if (from == to) return true;
  return false;
}

/// The list has more blocks than it can have. Names the first one that it reaches twice.
[[noreturn, gnu::cold, gnu::noinline]] void abort_too_long(const slab* s, const block* first,
                                                           const block* beyond) {
  const std::uint32_t most = s->carved.load(relaxed);
  walk(s, first, most + 1);  // all links are good from here on
  std::uint32_t left = most;
  for (const block* b = first; b != nullptr && left != 0; b = b->next, --left)
    if (leads_to(b->next, b, most)) os::abort_misuse(call, b, freed_twice);
  os::abort_misuse(call, beyond, freed_twice);
}

/// Aborts unless a walk over a list of `n` blocks, no more than `most` of them, ended as it must.
[[gnu::always_inline]] inline void require(const slab* s, const block* first, const steps& done,
                                           std::uint32_t n) {
  if (done.blocks == n) [[likely]] {
    if (done.next != nullptr) [[unlikely]]
      abort_too_long(s, first, done.next);
  } else if (done.next == nullptr) [[unlikely]] {
    os::abort_misuse(call, done.last, incomplete);
  }
}

}  // namespace

std::uint32_t list_length(const slab* s) {
  const steps done = walk(s, s->free, s->carved.load(relaxed));
  if (done.next != nullptr) [[unlikely]]
    abort_too_long(s, s->free, done.next);
  return done.blocks;
}

void require_free_blocks(const slab* s, std::uint32_t n) {
  require(s, s->free, walk(s, s->free, n), n);
}

void require_first_free_blocks(const slab* s, std::uint32_t n, std::uint32_t most) {
  require(s, s->free, walk(s, s->free, std::min(n, most)), n);
}

block* last_returned(const slab* s, const block_list& list) {
  const steps done = walk(s, list.first, list.count);
  require(s, list.first, done, list.count);
  return const_cast<block*>(done.last);
}

void look_at_free_blocks(const slab* s, std::uint32_t most) {
  // Brent's way to notice a ring: each block is compared with one before it, which moves on
  // whenever the distance has doubled. Rings of up to a third of `most` blocks are found.
  const block *b = s->free, *from = nullptr, *before = nullptr;
  for (std::uint32_t n = 0; n < most && b != nullptr; ++n) {
    const block* const next = walk(s, b, 1, from).next;
    if (b == before) [[unlikely]]
      abort_too_long(s, s->free, b);
    if ((n & (n + 1)) == 0) before = b;
    from = b;
    b = next;
  }
}

}  // namespace heapsmith
