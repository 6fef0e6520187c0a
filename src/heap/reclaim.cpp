// Reclaims before growth, purges on request: docs/paths/purge.md, docs/design/giving-back.md
#include "heap/reclaim.hpp"

#include "base/units.hpp"
#include "os/os.hpp"
#include "slabs/came_back.hpp"
#include "slabs/remote_free.hpp"
#include "slabs/slabs.hpp"
#include "slabs/sweep.hpp"
#include "spans/direct_maps.hpp"
#include "spans/purger.hpp"
#include "spans/settings.hpp"
#include "spans/spans.hpp"
#include "threads/all_heaps.hpp"
#include "threads/shared_heap.hpp"
#include "threads/slow_section.hpp"
#include "threads/sub_heaps.hpp"
#include "threads/threads.hpp"

namespace heapsmith {
namespace {

/// Takes only slabs that need no consent of the heap's thread.
void reclaim_from(thread_heap& h) {
  give_all_finished_posted(h);
  drop_kept(h);
}

/// Also for the purger, which has no thread storage. Counts, since posted slabs were hidden from
/// other threads while it looked at them.
void reclaim_from_every_heap() {
  release_shared();
  for_each_heap(reclaim_from);
  for_each_sub_heap(reclaim_from);
  note_came_back_without_heap();
}

/// The heap for which a thread looks, if it began while no other did.
constinit atomic<const thread_heap*> first_to_look{nullptr};

/// Becomes the first to look; false if another thread is, which did not vanish in a fork. acquire
/// pairs with the release when it ends: what it put back is found; and with the release here: the
/// heap that is seen is complete. relaxed: no other thread freezes.
bool begin_look(const thread_heap& h) {
  const thread_heap* other = first_to_look.load(acquire);
  return (other == nullptr || other->frozen.load(relaxed)) &&
         first_to_look.compare_exchange_strong(other, &h, acq_rel);
}

/// Looks at all first-class heaps, and takes in waiting blocks, only before a refusal. While posted
/// slabs are looked at, they are hidden from other threads. So of two threads that look at the same
/// time, one counts what it puts back.
[[gnu::noinline]] void look_for_free_slabs(thread_heap& h, bool before_refusal) {
  const bool is_first = begin_look(h);
  return_cached(h);
  empty_depot();
  collect_reported(h);
  sweep_bins(h, before_refusal);
  for_each_heap(reclaim_from);
  if (h.account != nullptr) for_each_sibling(h, reclaim_from);
  if (before_refusal)
    for_each_sub_heap(reclaim_from);
  else
    for_next_sub_heaps(reclaim_from);
  if (is_first)
    first_to_look.store(nullptr, release);
  else
    note_came_back();
}

/// The value of `searched_at` while no search need be repeated: 1, and how often memory came back.
/// All heaps are counted, so that it never falls. Complexity: a step for each thread.
std::uint64_t search_now() {
  // acquire pairs with note_came_back(): the search that follows finds what came back.
  std::uint64_t n = 1 + came_back_without_heap.load(acquire);
  for (const thread_heap* h = all_heaps.load(acquire); h != nullptr; h = h->next)
    n += h->came_back.load(acquire);
  return n;
}

/// Whether the clock passed a multiple of the purge delay since `before`.
bool is_later(std::uint64_t now, std::uint64_t before) {
  const std::uint64_t delay = spans::settings().purge_delay_ms.load(relaxed);
  return delay == 0 || now / delay != before / delay;
}

bool can_map(std::size_t bytes) {
  bytes = round_up(bytes, os::page_bytes());
  void* const p = os::map(bytes, os::page_bytes());
  if (p != nullptr) os::unmap(p, bytes);
  return p != nullptr;
}

/// Before the constructors have run, the runtime of a sanitizer may not know its clock yet.
/// relaxed: no other thread runs then.
constinit atomic<bool> clock_is_ready{false};

[[gnu::constructor]] void let_the_purger_reclaim() {
  spans::set_reclaimer(reclaim_from_every_heap);
  clock_is_ready.store(true, relaxed);
}

}  // namespace

constinit atomic<std::uint32_t> purge_epoch{0};

void reclaim_before_growth(thread_heap& h, const spans::account* holder) {
  // relaxed: a guess, which publishes nothing; two threads may both look.
  static constinit atomic<std::size_t> at_last_look{0};
  const std::size_t now = spans::committed_slices();
  if (at_last_look.exchange(now, relaxed) == now && holder == nullptr) return;
  if (h.searched_at == search_now()) return;
  look_for_free_slabs(h, false);
}

bool reclaim_before_refusal(thread_heap& h) {
  const std::uint64_t now = search_now();
  if (h.searched_at == now) return false;
  look_for_free_slabs(h, true);
  // The next search finds what came back meanwhile, and heaps that a handler cannot look into.
  h.searched_at = os::interrupts(heaps_lock) ? 0 : now;
  return true;
}

spans::span take_reclaimed(thread_heap& h, std::size_t slices, std::size_t align_slices,
                           spans::account* holder) {
  reclaim_before_growth(h, holder);
  spans::span sp = spans::take(slices, align_slices, spans::growth::allowed, holder);
  if (!sp && reclaim_before_refusal(h))
    sp = spans::take(slices, align_slices, spans::growth::allowed, holder);
  return sp;
}

void shed(thread_heap& h) {
  return_cached(h);
  shed_free_slabs(h);
}

void reclaim_everything(thread_heap& h) {
  shed(h);
  shed_sub_heaps(h);
  reclaim_from_every_heap();
}

bool reclaim_address_space(std::size_t bytes) {
  // No limit of the OS is read: a filter of system calls may kill the process for the question, and
  // not every refusal comes from such a limit.
  const std::size_t ours = spans::committed_slices() * slice_bytes;
  if (can_map(bytes) || (bytes > ours && !can_map(bytes - ours))) return false;
  thread_heap* const h = this_thread_heap();
  const slow_section section(h);
  if (!section) return false;
  reclaim_everything(*h);
  return true;
}

std::size_t purge_everything(thread_heap& h) {
  const std::size_t before = spans::stats().purged_bytes;
  // relaxed: as in is_asked_to_purge().
  h.purge_seen = purge_epoch.fetch_add(1, relaxed) + 1;
  reclaim_everything(h);
  spans::purge();
  spans::direct_end_leftovers();
  return spans::stats().purged_bytes - before;
}

void give_kept_if_late(std::uint64_t now) {
  // When a purge delay last ended; relaxed: the exchange elects one thread, and publishes nothing.
  static constinit atomic<std::uint64_t> last_ms{0};
  std::uint64_t last = last_ms.load(relaxed);
  if (now < last || now - last < spans::settings().purge_delay_ms.load(relaxed) ||
      !last_ms.compare_exchange_strong(last, now, relaxed))
    return;
  empty_depot();
  for_each_heap(drop_kept);
  for_next_sub_heaps(drop_kept);
}

void look_at_clock(thread_heap& h) {
  constexpr std::uint32_t ticks_of_a_busy_thread = 16;
  if (os::locks_wanted != 0) return;  // a signal handler's call, or one for a shared heap
  if (!clock_is_ready.load(relaxed)) return;
  const std::uint64_t now = os::now_ms();
  h.ticks_until_look = now == h.looked_ms ? ticks_of_a_busy_thread - 1 : 0;
  if (now == h.looked_ms) return;
  if (is_later(now, h.looked_ms)) return_cached(h);
  h.looked_ms = now;
  give_kept_if_late(now);
  spans::look(now);
}

void purge_if_asked(thread_heap& h) {
  if (!is_asked_to_purge(h)) return;
  h.purge_seen = purge_epoch.load(relaxed);
  shed(h);
  spans::purge();
}

}  // namespace heapsmith
