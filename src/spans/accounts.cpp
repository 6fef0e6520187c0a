// Who holds how much: the process limit, what is charged against it, and the figures for hs_stats.
#include <algorithm>

#include "os/os.hpp"
#include "spans/settings.hpp"
#include "spans/state.hpp"

namespace heapsmith::spans {
namespace {

// Memory for the allocator's own objects that was mapped and is not used yet.
constinit char* metadata_at = nullptr;
constinit std::size_t metadata_left = 0;

std::size_t records_bytes_locked() {
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < range_count.load(relaxed); ++k)
    bytes += ranges[k].committed() * sizeof(slab);
  return bytes;
}

std::size_t held_bytes_locked() {
  return (all.in_use + all.dirty) * slice_bytes + all.outside + all.metadata;
}

}  // namespace

constinit state all;

os::lock& the_lock() {
  return all.lock;
}

void note_peak_locked() {
  all.told.peak_bytes = std::max(all.told.peak_bytes, held_bytes_locked());
}

bool fits_limit_locked(std::size_t bytes) {
  const std::size_t limit = settings().limit_bytes;
  if (limit == 0) return true;
  bytes += records_bytes_locked();
  if (held_bytes_locked() + bytes <= limit) return true;
  purge_down_to_locked(0);
  return held_bytes_locked() + bytes <= limit;
}

bool charge(std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  if (!fits_limit_locked(bytes)) return false;
  all.outside += bytes;
  return true;
}

void settle_charge() {
  const os::lock_guard guard(all.lock);
  note_peak_locked();
}

void discharge(std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  all.outside -= bytes;
}

void set_limit(std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  settings().limit_bytes = bytes;
}

void* take_metadata(std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  bytes = round_up(bytes, 64);
  if (bytes > metadata_left) {
    const std::size_t piece = round_up(std::max(bytes, slice_bytes), os::page_bytes());
    char* p = static_cast<char*>(os::map(piece, os::page_bytes()));
    if (p == nullptr) return nullptr;
    metadata_at = p;
    metadata_left = piece;
  }
  char* p = metadata_at;
  metadata_at += bytes;
  metadata_left -= bytes;
  all.metadata += bytes;
  note_peak_locked();
  return p;
}

counts count() {
  const os::lock_guard guard(all.lock);
  counts c = all.told;
  for (std::size_t k = 0; k < range_count.load(relaxed); ++k)
    c.committed_bytes += ranges[k].committed() * slice_bytes;
  c.in_use_bytes = all.in_use * slice_bytes;
  c.cached_bytes = all.dirty * slice_bytes;
  c.outside_bytes = all.outside;
  c.metadata_bytes = all.metadata + records_bytes_locked();
  return c;
}

}  // namespace heapsmith::spans
