// The doubles behind the heap's code in a model: spans, heaps without threads, diagnoses.
#include "heap_world.hpp"

#include "heap/malloc_path.hpp"
#include "heap/reclaim.hpp"
#include "heap/supply.hpp"
#include "os/diagnose.hpp"
#include "os/os.hpp"
#include "slabs/bins.hpp"
#include "slabs/remote_free.hpp"
#include "slabs/remote_path.hpp"
#include "slabs/slabs.hpp"
#include "slabs/sweep.hpp"
#include "spans/spans.hpp"
#include "threads/all_heaps.hpp"

#include <cstring>
#include <new>

namespace heapsmith {

constinit slab no_slab;
constinit atomic<std::uint32_t> threads_with_heaps{0};
constinit thread_heap empty_heap;
constinit atomic<thread_heap*> all_heaps{nullptr};

namespace model {

namespace {

constexpr std::size_t span_bytes = 128;
heap_world* world;
alignas(span_bytes) char bytes_of_span[heap_world::span_count][span_bytes];

/// A block's contents, which are its user's: an address that no field of a free block has.
const void* contents(const void* b) {
  return static_cast<const char*>(b) + 12;
}

}  // namespace

struct span_books {
  static spans::span take(std::size_t slices) {
    for (unsigned i = slices == 1 ? 0 : heap_world::span_count - 1; i < heap_world::span_count;
         ++i) {
      // As with the spans' lock, giving a span happens before taking it.
      if (world->taken_[i].exchange(1, acq_rel) != 0) continue;
      begin_life(&world->taken_[i], "span");
      world->records_[i].slices = static_cast<std::uint32_t>(slices);
      return {&world->records_[i], bytes_of_span[i], slices, {}};
    }
    return {};
  }

  static spans::record* find(const void* p) {
    const auto* at = static_cast<const char*>(p);
    return &world->records_[static_cast<std::size_t>(at - bytes_of_span[0]) / span_bytes];
  }

  static void give(spans::record* first) {
    const auto i = static_cast<std::size_t>(first - world->records_);
    for (std::size_t at = 0; at < span_bytes; at += 16) {
      auto* b = reinterpret_cast<block*>(bytes_of_span[i] + at);
      b->next = nullptr;
      b->mark = 0;
      begin_life(contents(b), "block of a span's next user");
      end_life(contents(b));
    }
    end_life(&world->taken_[i]);
    world->taken_[i].exchange(0, acq_rel);
  }
};

heap_world::heap_world() {
  world = this;
  for (unsigned i = 0; i < heap_count; ++i) {
    heaps[i].token = i + 1;
    heaps[i].next = i + 1 < heap_count ? &heaps[i + 1] : nullptr;
  }
  new (&all_heaps) atomic<thread_heap*>(&heaps[0]);  // for each execution
  std::memset(bytes_of_span, 0, sizeof bytes_of_span);
  static constexpr const char* span_names[span_count] = {"span 0", "span 1", "span 2", "span 3"};
  static constexpr const char* record_names[span_count] = {"record 0", "record 1", "record 2",
                                                           "record 3"};
  for (spans::record& r : records_) new (r.engine) slab;
  for (unsigned i = 0; i < span_count; ++i) {
    name_plain(bytes_of_span[i], span_bytes, span_names[i]);
    name_plain(&records_[i], sizeof(spans::record), record_names[i]);
  }
  const auto hint_at_counts = [](posted_stack& p) {  // behind its top
    hint(reinterpret_cast<const char*>(&p) + sizeof(void*), sizeof p - sizeof(void*));
  };
  for (thread_heap& h : heaps) {
    for (posted_stack& p : h.posted) hint_at_counts(p);
    hint_at_counts(h.reported);
  }
  name(&heaps[0].posted, "home.posted");
  name(&heaps[0].reported, "home.reported");
  name(&slab_in(&records_[0])->remote, "slab0.remote");
  name(&slab_in(&records_[1])->remote, "slab1.remote");
  name(&slab_in(&records_[0])->owner, "slab0.owner");
  name(&slab_in(&records_[1])->owner, "slab1.owner");
  for (auto& t : taken_) name(&t, "spans");
}

slab* heap_world::slab_of(block* b) {
  const auto offset = static_cast<std::size_t>(reinterpret_cast<char*>(b) - bytes_of_span[0]);
  return slab_in(&records_[offset / span_bytes]);
}

block* heap_world::allocate(thread_heap& h, class_index c) {
  slab* s = h.current[c];
  block* b = s->free;
  if (b != nullptr)
    b = pop(s, b);
  else if (b = pop_borrowed_quickly(h, s); b == nullptr)
    b = pop_slowly(h, c);
  require(b != nullptr, "there is memory");
  begin_life(contents(b), "block");
  return b;
}

void heap_world::free(thread_heap& h, block* b) {
  end_life(contents(b));
  slab* s = slab_of(b);
  if (s->owner.load(relaxed) == h.token)
    push_local(h, s, b);
  else if (s->home.load(relaxed) == &h && free_in_full(h, s, b))
    return;
  else if (!free_elsewhere_quickly(h, s, b))
    free_remote(h, s, b);
}

void heap_world::free(block* b) {
  end_life(contents(b));
  free_remote_now(slab_of(b), b);
}

void heap_world::abandon(thread_heap& h) {
  publish_all(h);
}

heap_world::~heap_world() {
  for (thread_heap& h : heaps) flush_outgoing(h);
  for (thread_heap& h : heaps) abandon(h);
  for (spans::record& r : records_) slab_in(&r)->~slab();
}

}  // namespace model

// Not reached: a span is always available.
spans::span take_reclaimed(thread_heap&, std::size_t, std::size_t, spans::account*) {
  return {};
}
void look_at_clock(thread_heap&) {}
// A count that the protocol does not read.
void note_came_back() {}

namespace spans {
// Held by nobody: no case has a signal handler.
os::lock& the_lock() {
  static constinit os::lock lock{os::lock_rank::spans};
  return lock;
}
record* find_anywhere(const void* p) {
  return model::span_books::find(p);
}
span take(std::size_t slices, std::size_t, growth, account*, std::size_t) {
  return model::span_books::take(slices);
}
void give(record* first) {
  model::span_books::give(first);
}
// The memory of the model holds what it held.
void release_contents(char*, std::size_t) {}
}  // namespace spans

namespace os {
std::size_t page_bytes() {
  return 16;
}  // blocks are carved one at a time
std::uint32_t thread_number() {
  return 1;
}
bool single_threaded() {
  return false;
}
bool is_alone() {
  return false;
}
void abort_misuse(const char*, const void*, const char* reason) {
  model::engine::current()->fail(reason);
}
}  // namespace os

}  // namespace heapsmith
