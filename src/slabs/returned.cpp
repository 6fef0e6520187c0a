// Takes in the slabs that others posted: docs/paths/remote_free.md, docs/design/remote-frees.md
#include <algorithm>

#include "slabs/came_back.hpp"
#include "slabs/remote_free.hpp"
#include "slabs/slabs.hpp"

namespace heapsmith {

void collect_posted(thread_heap& h, std::size_t c) {
  for (slab *s = h.posted[c].pop_all(), *next; s != nullptr; s = next) {
    next = s->posted_next;
    adopt_slab(h, s);
  }
}

void collect_all_posted(thread_heap& h) {
  collect_reported(h);
  for (std::size_t c = 0; c < class_count; ++c) collect_posted(h, c);
}

bool steal_posted(thread_heap& other, thread_heap& h, std::size_t c) {
  constexpr unsigned slabs_moved = 4;  // enough to work with, not to hoard
  std::uint32_t length = 0;
  slab* s = other.posted[c].pop_all(&length);
  if (s == nullptr) return false;
  for (unsigned n = 0; s != nullptr && n < slabs_moved; ++n) {
    slab* const next = s->posted_next;
    adopt_slab(h, s);
    s = next;
  }
  if (s != nullptr) {
    other.posted[c].put_back(s, std::max(length, slabs_moved + 1) - slabs_moved);
    note_came_back();
  }
  return true;
}

void give_finished_posted(posted_stack& posted) {
  for (slab *s = posted.pop_all(), *next; s != nullptr; s = next) {
    next = s->posted_next;
    if (s->remote.is_finished(s->carved.load(relaxed)))
      give_slab(s);
    else
      posted.push(s);
  }
}

void give_all_finished_posted(thread_heap& h) {
  give_finished_posted(h.reported);  // a thread that left the heap may have left some there
  for (posted_stack& posted : h.posted) give_finished_posted(posted);
}

}  // namespace heapsmith
