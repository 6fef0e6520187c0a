// Remote free: batches by slab, one compare-and-swap a batch; docs/paths/remote_free.md follows one.
#include "heap/remote_free.hpp"

#include <algorithm>

#include "heap/slabs.hpp"
#include "os/diagnose.hpp"
#include "spans/spans.hpp"

namespace heapsmith {
namespace {

/// A batch goes home when it has this many blocks or bytes: memory in transit is bounded.
constexpr std::uint32_t batch_blocks = 64;
constexpr std::size_t batch_bytes = 16 * KiB;

std::uint32_t batch_limit(const slab* s) {
  const std::size_t by_bytes = batch_bytes / class_table[s->size_class].bytes;
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(by_bytes, 1, batch_blocks));
}

void send(slab* s, const block_batch& batch) {
  // Read before the push: after it, the slab may be gone unless this push is the one to end or post it.
  const std::uint32_t carved = s->carved;
  thread_heap* const home = s->home.load(relaxed);
  const remote_word::pushed result = s->remote.push(s->start, batch);
  if (!result.disowned) return;  // the owner will look
  if (result.must_post) {
    if (result.count == carved) return give_slab(s);  // all of it in one batch: ours alone
    // Read anew: since the slab was disowned it is final, and the push acquired the disowning.
    thread_heap& final_home = *s->home.load(relaxed);
    final_home.posted.push(s);
    // Whoever finished it before it lay on the stack did not find it there.
    if (final_home.posted.has_finished()) give_finished_posted(final_home);
  } else if (result.count == carved && home->posted.note_finished()) {
    give_finished_posted(*home);  // perhaps not its home any more; then some other heap's are looked at
  }
}

void flush(outgoing_batch& out) {
  slab* const to = out.to;
  out.to = nullptr;
  send(to, out.blocks);
}

/// A slab off a stack becomes one of `h`, with the blocks that came back.
void take_over(thread_heap& h, slab* s) {
  s->home.store(&h, relaxed);
  // relaxed: frees that compare it as foreign meanwhile push to the remote word, as before.
  s->owner.store(&h, relaxed);
  const block_list list = s->remote.collect(s->start);
  s->free = list.first;
  settle(h, s, s->carved - list.count);
}

/// Takes all posted slabs, gives back the wholly free ones, and posts again what `wanted` declines.
template <class Wanted>
void sift(thread_heap& from, Wanted wanted) {
  slab *kept_first = nullptr, *kept_last = nullptr;
  std::uint32_t kept = 0;
  for (slab *s = from.posted.take_all(), *next; s != nullptr; s = next) {
    next = s->posted_next;
    if (s->remote.waiting() == s->carved) {
      give_slab(s);
    } else if (!wanted(s)) {
      s->posted_next = kept_first;
      kept_first = s;
      if (kept_last == nullptr) kept_last = s;
      ++kept;
    }
  }
  if (kept != 0) from.posted.push_chain(kept_first, kept_last, kept);
}

}  // namespace

void free_remote(thread_heap& h, slab* s, block* b) {
  const std::size_t slot = (reinterpret_cast<std::uintptr_t>(s) / sizeof(slab)) % outgoing_slots;
  outgoing_batch& out = h.outgoing[slot];
  if (out.to == s) {
    if (b == out.blocks.first) os::stop_misuse("free", b, "freed twice in a row");
    b->next = out.blocks.first;
    out.blocks.first = b;
    ++out.blocks.count;
  } else {
    if (out.to != nullptr) flush(out);
    ++h.remote_batches;
    out.to = s;
    out.blocks = {b, b, 1};
  }
  if (out.blocks.count >= batch_limit(s)) flush(out);
}

void free_remote_now(slab* s, block* b) { send(s, {b, b, 1}); }

void flush_outgoing(thread_heap& h) {
  for (outgoing_batch& out : h.outgoing)
    if (out.to != nullptr) flush(out);
}

void take_posted(thread_heap& h) {
  for (slab *s = h.posted.take_all(), *next; s != nullptr; s = next) {
    next = s->posted_next;
    take_over(h, s);
  }
}

void sift_posted(thread_heap& from, thread_heap& taker, std::size_t c) {
  sift(from, [&](slab* s) { return s->size_class == c && (take_over(taker, s), true); });
}

void give_finished_posted(thread_heap& from) {
  sift(from, [](slab*) { return false; });
}

}  // namespace heapsmith
