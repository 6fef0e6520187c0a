// The index of a range: finds long runs of free slices without a look at every slice.
#include <bit>
#include <new>

#include "spans/range.hpp"

namespace heapsmith::spans {
namespace {

using tree = range_index::tree_of_runs;
using node = tree::node;

auto words_of(const range& r) {
  return [&r](unsigned set, std::size_t k) { return r.word_at(set, k); };
}

/// The tree that a range of a capacity has.
tree tree_for(std::size_t capacity) {
  tree made;
  made.start(words_for(capacity));
  return made;
}

/// Maps the room of an index as far as `slices` slices need it.
bool map_nodes(range_index& index, char* room, std::size_t slices) {
  const std::size_t count = index.tree.nodes_for(words_for(slices));
  if (!map_on(room, index.mapped, sizeof index + count * sizeof(node))) return false;
  index.tree.place(reinterpret_cast<node*>(room + sizeof index), count);
  return true;
}

void update_locked(range& r) {
  range_index& index = *r.index;
  for (; index.filled != 0; index.filled &= index.filled - 1)
    index.tree.update(index.changed[std::countr_zero(index.filled)], words_of(r));
}

/// Makes the index from the words. False: the OS refuses its memory.
bool make_index_locked(range& r) {
  range_index made{tree_for(r.capacity)};
  if (!map_nodes(made, r.index_room, r.committed())) return false;
  r.index = new (r.index_room) range_index{made};
  for (std::size_t k = 0; k < words_for(r.committed()); k += tree::fanout)
    r.index->tree.update(k, words_of(r));
  return true;
}

// The words of one node of the index lie on one OS page, where either all are mapped or none.
static_assert(4 * KiB % (tree::fanout * sizeof(free_word)) == 0 &&
              range::few_words % tree::fanout == 0);

}  // namespace

std::size_t index_bytes(std::size_t slices) {
  return sizeof(range_index) + tree_for(slices).nodes_for(words_for(slices)) * sizeof(node);
}

bool map_index_locked(range& r, std::size_t slices) {
  return r.index == nullptr || map_nodes(*r.index, r.index_room, slices);
}

void note_change_locked(range& r, std::uint32_t k) {
  range_index& index = *r.index;
  const std::size_t slot = tree::node_of(k) % range_index::changed_slots;
  const std::uint64_t bit = std::uint64_t{1} << slot;
  if ((index.filled & bit) != 0) {
    const std::uint32_t other = index.changed[slot];
    if (tree::node_of(other) == tree::node_of(k)) return;
    index.tree.update(other, words_of(r));
  }
  index.changed[slot] = k;
  index.filled |= bit;
}

std::size_t find_far_locked(range& r, unsigned set, std::size_t from, std::size_t end,
                            std::size_t n) {
  if (r.index == nullptr && !make_index_locked(r))
    return find_run(from, end, n, [&](std::size_t k) { return r.word_at(set, k); });
  update_locked(r);
  return r.index->tree.find(set, from, end, n, words_of(r));
}

}  // namespace heapsmith::spans
