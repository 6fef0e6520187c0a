// The list of heaps without a thread; docs/paths/thread_exit.md says how they come and go.
#include "threads/orphans.hpp"

#include "threads/all_heaps.hpp"

namespace heapsmith {
namespace {

// Ends of the list; within it each heap knows who was orphaned before and after it.
constinit thread_heap* oldest = nullptr;
constinit thread_heap* newest = nullptr;

void append(thread_heap& h) {
  h.older = newest;
  h.newer = nullptr;
  (newest != nullptr ? newest->newer : oldest) = &h;
  newest = &h;
}

}  // namespace

constinit os::lock orphans_lock{os::lock_rank::orphans};

void add_orphan(thread_heap& h) {
  const os::lock_guard guard(orphans_lock);
  h.is_orphan = true;
  append(h);
}

thread_heap* adopt_orphan(thread_heap* wanted) {
  const os::lock_guard guard(orphans_lock);
  thread_heap* h = wanted == nullptr ? newest : oldest;
  if (wanted != nullptr && wanted->is_orphan) h = wanted;
  if (h == nullptr) return nullptr;
  h->is_orphan = false;
  (h->older != nullptr ? h->older->newer : oldest) = h->newer;
  (h->newer != nullptr ? h->newer->older : newest) = h->older;
  return h;
}

void relink_orphans() {
  oldest = newest = nullptr;
  for_each_heap([](thread_heap& h) {
    if (h.is_orphan) append(h);
  });
}

}  // namespace heapsmith
