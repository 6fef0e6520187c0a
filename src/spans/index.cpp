// The index of a range: finds long runs of free slices without a look at every slice.
#include <new>

#include "spans/range.hpp"

namespace heapsmith::spans {
namespace {

using node = range_index::tree_of_runs::node;

auto words_of(const range& r) {
  return [&r](unsigned set, std::size_t k) { return r.word_at(set, k); };
}

/// The tree that a range of a capacity has.
range_index::tree_of_runs tree_for(std::size_t capacity) {
  range_index::tree_of_runs tree;
  tree.start(words_for(capacity));
  return tree;
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
  while (index.changed_count != 0)
    index.tree.update(index.changed[--index.changed_count], words_of(r));
}

/// Makes the index from the words. False: the OS refuses its memory.
bool make_index_locked(range& r) {
  range_index made{tree_for(r.capacity)};
  if (!map_nodes(made, r.index_room, r.committed())) return false;
  r.index = new (r.index_room) range_index{made};
  for (std::size_t k = 0; k < words_for(r.committed()); k += 8)
    r.index->tree.update(k, words_of(r));
  return true;
}

}  // namespace

std::size_t index_bytes(std::size_t slices) {
  return sizeof(range_index) + tree_for(slices).nodes_for(words_for(slices)) * sizeof(node);
}

bool map_index_locked(range& r, std::size_t slices) {
  return r.index == nullptr || map_nodes(*r.index, r.index_room, slices);
}

void note_change_locked(range& r, std::uint32_t k) {
  range_index& index = *r.index;
  const auto updates_it = [k](std::uint32_t known) {
    return range_index::tree_of_runs::share_node(known, k);
  };
  if (index.changed_count != 0 && updates_it(index.changed[index.changed_count - 1])) return;
  if (index.changed_count == range_index::max_changed) update_locked(r);
  index.changed[index.changed_count++] = k;
}

std::size_t find_far_locked(range& r, unsigned set, std::size_t from, std::size_t end,
                            std::size_t n) {
  if (r.index == nullptr && !make_index_locked(r))
    return find_run(from, end, n, [&](std::size_t k) { return r.word_at(set, k); });
  update_locked(r);
  return r.index->tree.find(set, from, end, n, words_of(r));
}

}  // namespace heapsmith::spans
