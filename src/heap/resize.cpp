// realloc and questions about a block, which find it first. docs/design/large-and-zeroed.md
#include <string.h>

#include <algorithm>

#include "heap/copying.hpp"
#include "heap/emergency.hpp"
#include "heap/heap.hpp"
#include "heap/heap_path.hpp"
#include "heap/large.hpp"
#include "heap/reclaim.hpp"
#include "os/diagnose.hpp"
#include "os/os.hpp"
#include "slabs/find.hpp"
#include "slabs/remote_path.hpp"
#include "spans/direct_maps.hpp"
#include "threads/fork.hpp"
#include "threads/slow_section.hpp"

namespace heapsmith {
namespace {

/// The first record of the slab or the large block that a block at `p` lies in; null outside all
/// spans. Aborts if no block starts there.
[[gnu::always_inline]] inline spans::record* require_block(const char* call, const void* p) {
  spans::record* r = find_record(p);
  if (r == nullptr) [[unlikely]]
    return nullptr;
  if (slab* s = slab_of(r)) [[likely]] {
    require_block_start(call, s, p);
    return record_of(s);
  }
  if (kind_of(r) != slice_kind::large) os::abort_misuse(call, p, no_block_here);
  if (p != slab_in(r)->start) os::abort_misuse(call, p, inside_large);
  return r;
}

[[gnu::noinline]] spans::record* require_block_slow(const char* call, const void* p) {
  return require_block(call, p);
}

/// A middle block that threads cache bears a mark while it is free.
void require_not_freed(const slab* s, const block* b) {
  if (is_cached_by_threads(s) && b->mark == freed_mark(b, s->generation.load(relaxed))) [[unlikely]]
    os::abort_misuse("realloc", b, no_block_here);
}

std::size_t block_bytes(const spans::record* r) {
  const slab* s = slab_in(r);
  return s->kind == slice_kind::slab ? class_table[s->size_class].bytes : large_bytes(r);
}

/// The bytes of a block that lies in no span; 0 if it is not ours.
[[gnu::noinline, gnu::cold]] std::size_t bytes_outside_spans(const void* p) {
  return emergency::owns(p) ? emergency::usable_bytes(p) : spans::direct_map_bytes(p);
}

/// A block stays where it is while at least half of it is used; smaller, moving pays.
bool fits_in_place(std::size_t have, std::size_t bytes) {
  return bytes <= have && (bytes >= have / 2 || have <= 4 * block_align);
}

/// A direct map that shrinks stays one down to this size: moving it would touch all its OS pages.
constexpr std::size_t shrunk_direct_map_min = direct_map_min / 8;

bool resize_in_place(spans::record* r, std::size_t have, std::size_t bytes) {
  if (kind_of(r) == slice_kind::large) return bytes > slab_block_max && resize_large(r, bytes);
  return fits_in_place(have, bytes);
}

/// True for 0 and for sizes that no object can have: nothing is resized to them.
bool is_impossible(std::size_t bytes) {
  return bytes - 1 >= object_max;
}

/// realloc(p, 0) frees; sizes that are too large are refused.
[[gnu::noinline, gnu::cold]] void* free_or_refuse(void* p, std::size_t bytes) {
  if (bytes != 0) return out_of_memory();
  deallocate(p);
  return nullptr;
}

/// Allocates from the first-class heap `holder`; null means the process's heap. A block that grew
/// may grow again, which a span does in place.
void* allocate_for(spans::account* holder, std::size_t bytes, bool grows) {
  if (holder != nullptr) return allocate_in_slow(*static_cast<first_class_heap*>(holder), bytes);
  return grows && bytes > slab_block_max ? allocate_large(bytes) : allocate(bytes);
}

[[gnu::noinline]] void* move(void* p, std::size_t have, std::size_t bytes, spans::account* holder) {
  void* q = allocate_for(holder, bytes, bytes > have);
  if (q == nullptr) return bytes <= have ? p : nullptr;  // a smaller block may stay as it is
  memcpy(q, p, std::min(bytes, have));
  deallocate(p);
  return q;
}

/// For a large block that cannot grow where it is.
[[gnu::noinline]] void* move_large(spans::record* r, void* p, std::size_t bytes) {
  if (interrupts_the_heap()) return move(p, large_bytes(r), bytes, r->account);
  void* q = copy_large(r, bytes);
  if (q != nullptr) deallocate(p);
  return q;
}

/// Resizes a direct map. One that the kernel does not let grow as it is moves to another: no lock
/// is held while it is copied, since the block is the caller's.
[[gnu::noinline, gnu::cold]] void* resize_direct_map(void* p, std::size_t have, std::size_t bytes) {
  void* q = spans::direct_remap(p, bytes);
  if (q != nullptr || bytes <= have) return q;
  q = spans::direct_map(bytes, os::page_bytes(), spans::direct_map_account(p), have);
  if (q == nullptr) return nullptr;
  copy_pages(static_cast<char*>(q), static_cast<const char*>(p), have, true);
  spans::direct_unmap(p);
  return q;
}

[[gnu::noinline, gnu::cold]] void* reallocate_outside_spans(void* p, std::size_t bytes,
                                                            const foreign_handlers& others) {
  if (p == nullptr) return allocate(bytes);
  const std::size_t have = bytes_outside_spans(p);
  if (have == 0) {
    if (others.reallocate == nullptr) abort_foreign("realloc", p);
    return others.reallocate(p, bytes);
  }
  if (is_impossible(bytes)) return free_or_refuse(p, bytes);
  if (emergency::owns(p)) return fits_in_place(have, bytes) ? p : move(p, have, bytes, nullptr);
  if (bytes < shrunk_direct_map_min && !fits_in_place(have, bytes))
    return move(p, have, bytes, spans::direct_map_account(p));
  notice_fork();
  void* q = resize_direct_map(p, have, bytes);
  if (q == nullptr && bytes > have && reclaim_address_space(bytes))
    q = resize_direct_map(p, have, bytes);
  if (q != nullptr) return q;
  if (bytes <= have) return p;
  if (interrupts_the_heap()) return out_of_memory();
  return move(p, have, bytes, spans::direct_map_account(p));
}

/// The usable bytes of a block that sized deallocation can be checked for; 0 for all others: long
/// ones that are no map, too.
std::size_t checkable_bytes(const void* p) {
  if (const spans::record* r = require_block_slow("free", p))
    return large_bytes(r) <= direct_map_min ? block_bytes(r) : 0;
  return emergency::owns(p) ? 0 : spans::direct_map_bytes(p);
}

/// The usable bytes of a block that no slab has.
std::size_t bytes_as_span(std::size_t bytes, std::size_t align) {
  if (bytes > object_max - slice_bytes) return bytes;
  const bool direct = bytes >= direct_map_min || align >= direct_map_min;
  return round_up(std::max<std::size_t>(bytes, 1), direct ? os::page_bytes() : slice_bytes);
}

}  // namespace

void* reallocate(void* p, std::size_t bytes, const foreign_handlers& others) {
  spans::record* r = require_block("realloc", p);
  if (r == nullptr) [[unlikely]]
    return reallocate_outside_spans(p, bytes, others);
  if (is_impossible(bytes)) [[unlikely]]
    return free_or_refuse(p, bytes);
  require_not_freed(slab_in(r), static_cast<const block*>(p));
  const std::size_t have = block_bytes(r);
  if (resize_in_place(r, have, bytes)) return p;
  if (kind_of(r) == slice_kind::large && bytes > have) return move_large(r, p, bytes);
  return move(p, have, bytes, r->account);
}

[[gnu::cold]] void* allocate_aligned_beside(const void* p, std::size_t bytes, std::size_t align) {
  const spans::record* r = require_block_slow("realloc", p);
  spans::account* const holder = r != nullptr ? r->account : spans::direct_map_account(p);
  if (holder == nullptr) return allocate_aligned(bytes, align);
  return allocate_aligned_in(*static_cast<first_class_heap*>(holder), bytes, align);
}

[[gnu::cold]] bool try_resize(void* p, std::size_t bytes) {
  if (spans::record* r = require_block_slow("realloc", p))
    return !is_impossible(bytes) && resize_in_place(r, block_bytes(r), bytes);
  const std::size_t have = bytes_outside_spans(p);
  if (have == 0) abort_foreign("realloc", p);
  return fits_in_place(have, bytes);
}

[[gnu::cold]] bool try_expand(void* p, std::size_t bytes) {
  spans::record* r = require_block_slow("try_expand", p);
  const std::size_t have = r != nullptr ? block_bytes(r) : bytes_outside_spans(p);
  if (have == 0) abort_foreign("try_expand", p);
  if (bytes <= have) return true;
  return r != nullptr && kind_of(r) == slice_kind::large && resize_large(r, bytes);
}

std::size_t usable_bytes(const void* p, const foreign_handlers& others) {
  if (p == nullptr) return 0;
  if (const spans::record* r = require_block_slow("malloc_usable_size", p)) return block_bytes(r);
  const std::size_t have = bytes_outside_spans(p);
  if (have != 0) return have;
  if (others.usable_bytes == nullptr) abort_foreign("malloc_usable_size", p);
  return others.usable_bytes(p);
}

[[gnu::cold]] std::size_t good_bytes(std::size_t bytes, std::size_t align) {
  if (const std::size_t c = aligned_class(bytes, align); c != class_count)
    return class_table[c].bytes;
  return bytes_as_span(bytes, align);
}

bool fits_request(const void* p, std::size_t bytes, std::size_t align) {
  const std::size_t have = checkable_bytes(p), good = good_bytes(bytes, align);
  if (bytes <= slab_block_max || bytes > cached_block_max) return have == 0 || have == good;
  // A thread took a longer one that it had, or it is a span.
  return have == 0 ||
         (have >= good && have <= std::max(good + good / 2, bytes_as_span(bytes, align)));
}

bool may_hold(const void* p, std::size_t bytes) {
  const std::size_t have = checkable_bytes(p);
  return have == 0 || bytes <= have;
}

}  // namespace heapsmith
