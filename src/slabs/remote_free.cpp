// Remote free: batches by slab, one compare-and-swap a batch; docs/paths/remote_free.md follows
// one. docs/design/remote-frees.md
#include "slabs/remote_free.hpp"

#include "os/diagnose.hpp"
#include "slabs/came_back.hpp"
#include "slabs/find.hpp"
#include "slabs/remote_path.hpp"
#include "slabs/slabs.hpp"

namespace heapsmith {
namespace {

/// How many batches of a class a thread may borrow. One more than it takes to send blocks home:
/// with one alone, threads that pass blocks round in turns keep sending blocks they need at once.
constexpr unsigned borrowed_batches = 2;

void push_home(slab* s, const block_batch& batch) {
  // Read before the push, for a hint: after it, the slab may be gone unless this push is the one to
  // post it. Only then may the record be read, and is it final: the push acquired the disowning.
  const std::uint32_t carved = s->carved.load(relaxed);
  const std::size_t c = s->size_class;
  thread_heap* const home = s->home.load(relaxed);
  const remote_word::pushed result = s->remote.push(s->start, batch, enough_to_report(carved));
  if (result.must_list) {
    if (result.disowned && result.count == s->carved.load(relaxed) && !may_not_end_now())
      return give_slab(s);
    thread_heap& now = *s->home.load(relaxed);
    posted_stack& stack = result.disowned ? now.posted[c] : now.reported;
    stack.push(s);
    // A thread that finished it before it was on the stack did not find it there.
    if (result.disowned && stack.has_finished() && !may_not_end_now()) give_finished_posted(stack);
  } else if (result.disowned && result.count == carved && home->posted[c].note_finished() &&
             !may_not_end_now()) {
    // If it is not its home any more, another's are looked at.
    give_finished_posted(home->posted[c]);
  }
}

void send(slab* s, const block_batch& batch) {
  if (is_cached_by_threads(s))
    middle_bytes.out.fetch_sub(bytes_of(s->size_class, batch.count), relaxed);
  push_home(s, batch);
  note_came_back();
}

/// Adds a marked block to the batch for its slab.
void carry_home(thread_heap& h, slab* s, block* b) {
  outgoing_batch& out = outgoing_for(h, s);
  if (out.to != s) {
    if (out.to != nullptr) send_batch(out.first, out, h);
    ++h.outgoing_count;
    const class_info& info = class_table[s->size_class];
    out = {s, nullptr, b, info.batch, info.inverse};
  }
  b->next = out.first;
  out.first = b;
  if (--out.room == 0) send_batch(out.first, out, h);
}

/// Borrowed blocks go home, and the thread borrows no more of the class until it looks for some.
void return_borrowed(thread_heap& h, std::size_t c) {
  borrowed_blocks& kept = h.borrowed[c + 1];
  block* b = kept.first;
  kept.first = nullptr;
  kept.room = 0;
  for (block* next; b != nullptr; b = next) {
    next = b->next;
    slab* const s = slab_of(spans::find_anywhere(b));
    b->mark = freed_mark(b, s->generation.load(relaxed));  // its slab may have moved on meanwhile
    carry_home(h, s, b);
  }
}

}  // namespace

void mark_freed(slab* s, block* b) {
  const std::uintptr_t mark = freed_mark(b, s->generation.load(relaxed));
  if (b->mark == mark) os::abort_misuse("free", b, "freed twice");
  b->mark = mark;
}

void send_batch(block* first, outgoing_batch& out, thread_heap& h) {
  slab* const to = out.to;
  out.to = nullptr;
  --h.outgoing_count;
  send(to, {first, out.last, class_table[to->size_class].batch - out.room});
}

void free_remote(thread_heap& h, slab* s, block* b) {
  mark_freed(s, b);
  const std::size_t c = s->size_class;
  if (is_middle(c)) return carry_home(h, s, b);
  borrowed_blocks& kept = h.borrowed[c + 1];
  if (kept.room == 0) {
    // The thread frees more of the class than it allocates.
    if (kept.first != nullptr) return_borrowed(h, c);
    return carry_home(h, s, b);
  }
  b->next = kept.first;
  kept.first = b;
  --kept.room;
}

void start_borrowing(thread_heap& h, std::size_t c) {
  if (is_middle(c)) return;
  borrowed_blocks& kept = h.borrowed[c + 1];
  if (kept.first == nullptr) kept.room = borrowed_batches * class_table[c].batch;
}

block* pop_borrowed(thread_heap& h, std::size_t c) {
  if (is_middle(c)) return nullptr;
  borrowed_blocks& kept = h.borrowed[c + 1];
  return kept.first == nullptr ? nullptr : pop_borrowed(kept);
}

void free_remote_now(slab* s, block* b) {
  mark_freed(s, b);
  send(s, {b, b, 1});
}

void flush_batches(thread_heap& h) {
  if (h.outgoing_count == 0) return;
  for (outgoing_batch& out : h.outgoing)
    if (out.to != nullptr) send_batch(out.first, out, h);
}

void flush_outgoing(thread_heap& h) {
  for (std::size_t c = 0; c < first_middle; ++c) return_borrowed(h, c);
  flush_batches(h);
}

}  // namespace heapsmith
