// Large blocks: taken as spans, resized in place, cleared. docs/design/large-and-zeroed.md
#include "heap/large.hpp"

#include <algorithm>

#include "heap/copying.hpp"
#include "heap/emergency.hpp"
#include "heap/filling.hpp"
#include "heap/heap.hpp"
#include "heap/large_block.hpp"
#include "heap/reclaim.hpp"
#include "os/diagnose.hpp"
#include "slabs/find.hpp"
#include "slabs/slabs.hpp"
#include "spans/direct_maps.hpp"
#include "threads/fork.hpp"
#include "threads/slow_section.hpp"
#include "threads/threads.hpp"

namespace heapsmith {
namespace {

/// A span for a large block. Looks through all free memory before address space grows. A block of
/// `direct_map_min` needs one only where no map was to be had: what was freed may have room for it.
spans::span take_span(std::size_t bytes, std::size_t align_slices, spans::account* holder) {
  const std::size_t slices = slices_for(std::max<std::size_t>(bytes, 1));
  if (bytes >= direct_map_min && slices > spans::committed_slices()) return {};
  spans::span sp = spans::take(slices, align_slices, spans::growth::forbidden, holder);
  if (sp || bytes >= direct_map_min) return sp;
  thread_heap* const h = this_thread_heap();
  const slow_section section(h);
  if (section) purge_if_asked(*h);
  return section ? take_reclaimed(*h, slices, align_slices, holder)
                 : spans::take(slices, align_slices, spans::growth::allowed, holder);
}

void* map_directly(std::size_t bytes, std::size_t align, spans::account* holder,
                   std::size_t grew_from = 0) {
  this_thread_heap();  // its first one reads settings: this may be the process's first block
  void* const p = spans::direct_map(bytes, align, holder, grew_from);
  if (p != nullptr || !reclaim_address_space(bytes)) return p;
  return spans::direct_map(bytes, align, holder);
}

void* make_block(spans::record* first, char* start) {
  slab* const s = slab_in(first);
  s->start = start;
  large_in(first)->has_moved = false;
  s->kind = slice_kind::large;
  return start;
}

/// A block that moved to grow, and moves again, leaves as much room behind it as it wants: it moves
/// no more until it has doubled. Room costs address space, and no memory, which slices that had
/// some lose: short blocks are rather copied. Growth by more than a quarter at once needs none: it
/// seldom comes again.
std::size_t room_behind(spans::record* first, std::size_t want) {
  constexpr std::size_t least = 8, longest = direct_map_min / slice_bytes;
  const std::size_t have = first->slices;
  const bool goes_on =
      large_in(first)->has_moved && have >= least && want - have <= have / 4 && want < longest;
  return goes_on ? std::min(want, longest - want) : 0;
}

/// The span to which the block of this record moves to grow.
spans::span take_longer_span(spans::record* first, std::size_t bytes) {
  const std::size_t slices = slices_for(bytes);
  if (const std::size_t room = room_behind(first, slices); room != 0)
    if (const spans::span sp = spans::take(slices, 1, spans::growth::allowed, first->account, room))
      return sp;
  return take_span(bytes, 1, first->account);
}

/// Makes the block free; true for one of several threads that free it at once.
bool claim(slab* s) {
  // relaxed: the exchange only elects one thread. The next user of the record takes the spans'
  // lock, as this thread does after its last change.
  return atomic_ref<slice_kind>(s->kind).exchange(slice_kind::none, relaxed) == slice_kind::large;
}

}  // namespace

void* allocate_large(std::size_t bytes) {
  notice_fork();
  if (bytes < direct_map_min)
    if (spans::record* const first = spans::take_again(slices_for(bytes)))
      return make_block(first, spans::ranges[0].address_of(first));
  return allocate_large_aligned(bytes, block_align);
}

void* allocate_large_aligned(std::size_t bytes, std::size_t align, spans::account* holder) {
  if (bytes > object_max) return out_of_memory();
  notice_fork();
  void* p = nullptr;
  if (interrupts_the_heap()) {
    p = emergency::allocate(bytes, align);
  } else {
    if (std::max(bytes, align) >= direct_map_min) p = map_directly(bytes, align, holder);
    const std::size_t align_slices = align <= slice_bytes ? 1 : align >> slice_shift;
    if (p == nullptr && align < direct_map_min)
      if (const spans::span sp = take_span(bytes, align_slices, holder))
        p = make_block(sp.first, sp.start);
  }
  return p != nullptr ? p : out_of_memory();
}

void* allocate_large_zeroed(std::size_t bytes, spans::account* holder) {
  notice_fork();
  if (bytes > object_max || interrupts_the_heap())
    return allocate_large_aligned(bytes, block_align, holder);
  if (bytes >= direct_map_min)
    if (void* const p = map_directly(bytes, block_align, holder)) return p;
  const spans::span sp = take_span(bytes, 1, holder);
  if (!sp) return out_of_memory();
  void* const p = make_block(sp.first, sp.start);
  zero_large(sp, bytes, holder == nullptr && bytes < direct_map_min);
  return p;
}

void* copy_large(spans::record* first, std::size_t bytes) {
  notice_fork();
  const char* const from = slab_in(first)->start;
  const std::size_t have = large_bytes(first);
  void* p = nullptr;
  if (bytes >= direct_map_min) p = map_directly(bytes, block_align, first->account, have);
  if (p != nullptr) {
    copy_pages(static_cast<char*>(p), from, have, true);
  } else if (const spans::span sp = take_longer_span(first, bytes)) {
    p = make_block(sp.first, sp.start);
    large_in(sp.first)->has_moved = true;
    copy_into_span(sp, from, have);
  }
  return p != nullptr ? p : out_of_memory();
}

void free_large(spans::record* first, void* p) {
  if (p != slab_in(first)->start) os::abort_misuse("free", p, inside_large);
  if (!claim(slab_in(first))) os::abort_misuse("free", p, no_block_here);
  notice_fork();
  note_end(first);
  thread_heap* const h = t_heap == &empty_heap ? nullptr : t_heap;
  if (const slow_section section(h); section) tick(*h);  // it looks at the clock, as slow paths do
  if (os::interrupts(spans::the_lock()))
    return;  // a signal handler's free: rather lost than deadlocked
  spans::give(first);
}

bool resize_large(spans::record* first, std::size_t bytes) {
  const std::size_t have = first->slices, want = slices_for(bytes);
  if (bytes >= direct_map_min && want > have) return false;
  notice_fork();
  if (want > have) {
    if (spans::extend(first, want - have)) return true;
    // Perhaps this thread keeps what lies behind the block.
    thread_heap& h = *t_heap;
    if (h.busy || h.kept.empty()) return false;
    drop_kept(h);
    return spans::extend(first, want - have);
  }
  if (want < have) spans::trim(first, want);
  return true;
}

}  // namespace heapsmith
