// Looks at the free blocks of a slab; aborts where the list cannot be right. docs/design/misuse.md
#include "slabs/free_list.hpp"

#include "os/diagnose.hpp"

namespace heapsmith {
namespace {

// A free list is wrong because of an earlier call, which the diagnosis names.
constexpr char call[] = "earlier free";
constexpr char freed_twice[] = "freed twice";
constexpr char written[] = "written to after it was freed";
constexpr char incomplete[] = "written to after it was freed, or freed by two threads at once";

/// The link in `from` leads to no block; null: the slab's own link does.
[[noreturn, gnu::cold, gnu::noinline]] void abort_at_link(const slab* s, const block* from,
                                                          const block* to) {
  const class_info& info = class_table[s->size_class];
  const auto offset = static_cast<std::size_t>(reinterpret_cast<const char*>(to) - s->start);
  if (offset < std::size_t{s->carved.load(relaxed)} * info.bytes)
    os::abort_misuse(call, to, "points into the middle of a block");
  os::abort_misuse(call, from != nullptr ? from : to, written);
}

struct steps {
  std::uint32_t left;  // of those allowed; 0 unless the list ended
  const block* last;   // the block reached last
  const block* next;   // null: the list ended
};

/// Follows a list from `at.next` on for at most `at.left` blocks, each of which must be a carved
/// block of the slab. Ends early at `stop`, if that is not null.
[[gnu::noinline]] void walk(const slab* s, steps& at, const block* stop = nullptr) {
  const class_info& info = class_table[s->size_class];
  const std::uint32_t carved = s->carved.load(relaxed);
  for (; at.next != stop && at.next != nullptr && at.left != 0; --at.left) {
    if (index_if_start(info, s->start, at.next) >= carved) [[unlikely]]
      abort_at_link(s, at.last, at.next);
    at.last = at.next;
    at.next = at.next->next;
  }
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
  steps at = {most + 1, nullptr, first};
  walk(s, at);  // all links are good from here on
  std::uint32_t left = most;
  for (const block* b = first; b != nullptr && left != 0; b = b->next, --left)
    if (leads_to(b->next, b, most)) os::abort_misuse(call, b, freed_twice);
  os::abort_misuse(call, beyond, freed_twice);
}

/// Aborts unless a list of `n` blocks ended after just these.
void require_end(const slab* s, const block* first, const steps& at) {
  if (at.next != nullptr) [[unlikely]]
    abort_too_long(s, first, at.next);
  if (at.left != 0) [[unlikely]]
    os::abort_misuse(call, at.last, incomplete);
}

/// Looks at the first `most` blocks of a list of any length. Returns where it stopped.
steps look_for_rings(const slab* s, const block* first, std::uint32_t most) {
  steps at = {most / 2, nullptr, first};
  walk(s, at);
  const block* const middle = at.last;
  at.left += most / 2;
  walk(s, at, middle);
  if (at.next == middle && middle != nullptr) [[unlikely]]
    abort_too_long(s, first, middle);
  return at;
}

/// Whether nothing is wrong with a list, as look_at() says: in a few instructions for each block.
/// Null and other addresses outside the slab are too far from its start.
[[gnu::always_inline]] inline bool is_right(const slab* s, const block_list& list,
                                            std::uint32_t most) {
  const class_info info = class_table[s->size_class];
  const std::uint32_t carved = s->carved.load(relaxed);
  const char* const start = s->start;
  const auto is_block = [=](const block* b) { return index_if_start(info, start, b) < carved; };
  const block* at = list.first;
  if (list.count <= most) {  // if it has a ring, it does not end after so many
    for (std::uint32_t left = list.count; left != 0; --left, at = at->next)
      if (!is_block(at)) [[unlikely]]
        return false;
    return at == nullptr;
  }
  const block* middle = nullptr;
  for (std::uint32_t left = most; left != 0; --left, at = at->next) {
    if (at == middle || !is_block(at)) [[unlikely]]
      return false;
    if (left == most - most / 2) middle = at;
  }
  return at != nullptr && at != middle;
}

[[gnu::noinline, gnu::cold]] void refuse(const slab* s, const block_list& list,
                                         std::uint32_t most) {
  if (list.count <= most) {
    steps at = {list.count, nullptr, list.first};
    walk(s, at);
    return require_end(s, list.first, at);
  }
  const steps at = look_for_rings(s, list.first, most);
  if (at.next == nullptr) os::abort_misuse(call, at.last, incomplete);
}

}  // namespace

void look_at(const slab* s, const block_list& list, std::uint32_t most) {
  if (!is_right(s, list, most)) [[unlikely]]
    refuse(s, list, most);
}

void look_at_the_end(const slab* s) {
  constexpr std::uint32_t most = 256;  // some microseconds for all classes
  const steps at = look_for_rings(s, s->free, most);
  const std::uint32_t seen = most - at.left;
  if (at.next == nullptr && seen + 1 + blocks_in_use(s) < s->carved.load(relaxed)) [[unlikely]]
    os::abort_misuse(call, at.last, incomplete);
}

void look_at_free_blocks(const slab* s, std::uint32_t most) {
  const std::uint32_t carved = s->carved.load(relaxed), used = blocks_in_use(s);
  if (used > carved) [[unlikely]]
    abort_too_long(s, s->free, s->free);  // it was freed more often than it was allocated from
  look_at(s, {s->free, carved - used}, most);
}

void link_behind(const slab* s, block* last, block* rest) {
  if (last->next != nullptr) [[unlikely]]
    abort_too_long(s, last, last->next);
  last->next = rest;
}

}  // namespace heapsmith
