// Segments that several processes map: creating them, recognising them, and recovering them after a
// process died during a call.
#include "region/shared_segment.hpp"

#include <errno.h>
#include <stddef.h>

#include <atomic>
#include <new>

#include "region/audit.hpp"

namespace heapsmith::regions {

namespace {

constexpr std::uint64_t shared_magic = 0x68732d7368617265;  // "erahs-sh", as bytes in memory
static_assert(sizeof(shared_segment) % shared_segment::alignment == 0);
static_assert(sizeof(shared_segment) - shared_lead - sizeof(shared_segment::shared_blocks) <
                  shared_segment::alignment,
              "the engine lies at shared_lead");

}  // namespace

int shared_segment::create(void* memory, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  if (memory == nullptr || at % alignment != 0 || bytes < sizeof(shared_segment)) return EINVAL;
  if (identify(memory, bytes) != ENODATA) return EEXIST;
  auto* const s = new (memory) shared_segment;
  if (const int error = s->lock_.init(); error != 0) return error;
  const int error = s->blocks_.add_memory(s + 1, bytes - sizeof(shared_segment));
  if (error != 0) return error;
  s->identity_.version = shared_version;
  s->identity_.control = sizeof(shared_segment);
  s->identity_.bytes = bytes;
  s->identity_.check = check_of(s->identity_);
  // release pairs with the acquire in identify(): a process that sees the magic sees the rest.
  s->identity_.magic.store(shared_magic, release);
  return 0;
}

int shared_segment::attach(void* memory, std::size_t bytes, bool is_alone) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  if (memory == nullptr || at % alignment != 0) return EINVAL;
  if (const int error = identify(memory, bytes); error != 0) return error;
  auto* const s = std::launder(static_cast<shared_segment*>(memory));
  if (is_alone) {
    // A former holder of the lock is gone. The kernel that marked the lock for it may be gone, too.
    if (const int error = s->lock_.init(); error != 0) return error;
    return s->recover() ? 0 : ENOTRECOVERABLE;
  }
  return holder(*s).error();
}

void shared_segment::destroy() {
  identity_.magic.store(0, release);  // pairs with identify()
}

std::uint64_t shared_segment::check_of(const shared_identity& i) {
  const std::uint64_t mixed = (i.version * 0x9e3779b97f4a7c15 + i.control) ^ i.bytes;
  return (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9;
}

/// Returns: 0 if the memory is a segment of this version, and all of it is mapped.
int shared_segment::identify(const void* memory, std::size_t bytes) {
  if (bytes < sizeof(shared_identity)) return ENODATA;
  const auto& found = *static_cast<const shared_identity*>(memory);
  // acquire pairs with the release in create().
  if (found.magic.load(acquire) != shared_magic) return ENODATA;
  if (found.version != shared_version || found.control != sizeof(shared_segment)) return EPROTO;
  if (found.check != check_of(found)) return EBADMSG;
  return bytes < found.bytes ? ERANGE : 0;
}

int shared_segment::lock(robust_lock::claim& c) {
  return lock_.lock(c, [this] { return recover(); });
}

void shared_segment::unlock(const robust_lock::claim& c) {
  intent_.set(intent::none);  // from here on an allocated block is the caller's
  lock_.unlock(c);
}

/// Called by the heir of a holder that died. If the heir dies as well, the next one starts from
/// scratch: the chain of headers and the intent are intact at every step.
bool shared_segment::recover() {
  if (intent_.what() == intent::reset) {
    finish_reset();
  } else {
    if (!blocks_.rebuild()) return false;
    if (const link l = intent_.block(); is_live(l)) blocks_.deallocate(address_of(l));
  }
  intent_.set(intent::none);
  recoveries_.fetch_add(1, relaxed);
  return true;
}

/// Walks all blocks, because the intent may name an address where no block starts, if the process
/// was aborted for freeing that.
bool shared_segment::is_live(link l) const {
  bool found = false;
  blocks_.for_each_block([&](const void* payload, block_info i) {
    if (link_to(payload) == l) found = i.is_live();
  });
  return found;
}

void* shared_segment::allocate(std::size_t align, std::size_t bytes) {
  intent_.set(intent::allocate);
  return blocks_.allocate_aligned(align, bytes);
}

void shared_segment::deallocate(void* p) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(p) % granule == 0;
  if (is_aligned) intent_.set(intent::free_block, link_to(p));
  blocks_.deallocate(p);
}

void shared_segment::reset() {
  intent_.set(intent::reset);
  finish_reset();
}

void shared_segment::finish_reset() {
  for (atomic<std::uint64_t>& root : roots_) root.store(0, release);  // pairs with readers
  blocks_.reset();
}

}  // namespace heapsmith::regions
