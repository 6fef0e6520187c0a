// Accounts of the memory held, the process limit, and the statistics of spans.
#include <algorithm>

#include "os/diagnose.hpp"
#include "os/os.hpp"
#include "spans/settings.hpp"
#include "spans/state.hpp"

namespace heapsmith::spans {
namespace {

// Memory for the allocator's own objects that was mapped and is not used yet.
constinit char* metadata_at = nullptr;
constinit std::size_t metadata_left = 0;

// The bytes that the limit had no room for, the first time; 0: it had.
constinit atomic<std::size_t> refused{0};

std::size_t held_bytes_locked() {
  return (all.in_use + all.dirty) * slice_bytes + all.outside + all.metadata;
}

}  // namespace

constinit state all;

os::lock& the_lock() {
  return all.lock;
}

void note_peak_locked() {
  all.numbers.peak_bytes = std::max(all.numbers.peak_bytes, held_bytes_locked());
}

bool fits_limit_locked(std::size_t bytes) {
  const std::size_t limit = settings().limit_bytes;
  if (limit == 0) return true;
  bytes += committed_slices() * sizeof(record);
  if (held_bytes_locked() + bytes <= limit) return true;
  purge_down_to_locked(0);
  if (held_bytes_locked() + bytes <= limit) return true;
  if (refused.load(relaxed) == 0) refused.store(bytes, relaxed);  // both under the lock
  return false;
}

void report_limit() {
  static constinit atomic<bool> reported{false};
  const std::size_t bytes = refused.load(relaxed);  // relaxed: another thread's is reported as well
  if (bytes == 0 || reported.exchange(true, relaxed)) return;  // relaxed: it elects one thread
  os::line()
      .add("heapsmith: the limit of ")
      .add_bytes(settings().limit_bytes)
      .add(" leaves no room for ")
      .add_bytes(bytes)
      .add(" more; see limit_bytes in docs/environment.md")
      .write();
}

bool fits_account_locked(const account* holder, std::size_t bytes) {
  if (holder == nullptr || holder->limit == 0) return true;
  return holder->held <= holder->limit && bytes <= holder->limit - holder->held;
}

void enter_account_locked(account* holder, std::size_t bytes) {
  if (holder == nullptr) return;
  holder->held += bytes;
  holder->peak = std::max(holder->peak, holder->held);
}

void join_locked(account& holder, record* first, std::size_t slices) {
  enter_account_locked(&holder, slices * slice_bytes);
  first->account = &holder;
  first->account_previous = nullptr;
  first->account_next = holder.first;
  if (holder.first != nullptr) holder.first->account_previous = first;
  holder.first = first;
}

void leave_locked(record* first, std::size_t slices) {
  account* const holder = first->account;
  holder->held -= slices * slice_bytes;
  record* const before = first->account_previous;
  record* const after = first->account_next;
  // In this order, a child forked past our locks finds no link that leads out of the list.
  if (after != nullptr) after->account_previous = before;
  (before != nullptr ? before->account_next : holder->first) = after;
  first->account = nullptr;
}

bool charge(std::size_t bytes, account* holder) {
  const os::lock_guard guard(all.lock);
  if (!fits_account_locked(holder, bytes) || !fits_limit_locked(bytes)) return false;
  all.outside += bytes;
  if (holder == nullptr) return true;
  holder->held += bytes;
  holder->direct += bytes;
  return true;
}

void settle_charge(account* holder) {
  const os::lock_guard guard(all.lock);
  note_peak_locked();
  if (holder != nullptr) holder->peak = std::max(holder->peak, holder->held);
}

void discharge(std::size_t bytes, account* holder) {
  const os::lock_guard guard(all.lock);
  all.outside -= bytes;
  if (holder == nullptr) return;
  holder->held -= bytes;
  holder->direct -= bytes;
}

bool holds_anything(const account& a) {
  const os::lock_guard guard(all.lock);
  return a.held != 0 || a.first != nullptr;
}

void reset_account(account& a) {
  const os::lock_guard guard(all.lock);
  a.peak = a.limit = 0;
}

void set_limit(account& a, std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  a.limit = bytes;
}

void set_limit(std::size_t bytes) {
  const os::lock_guard guard(all.lock);
  settings().limit_bytes = bytes;
  note_who_keeps_locked();
}

void* allocate_metadata(std::size_t bytes) {
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

span_stats stats() {
  const os::outer_guard guard(all.lock);
  span_stats s = all.numbers;
  s.committed_bytes = committed_slices() * slice_bytes;
  s.in_use_bytes = all.in_use * slice_bytes;
  s.cached_bytes = all.dirty * slice_bytes;
  s.outside_bytes = all.outside;
  s.metadata_bytes = all.metadata + committed_slices() * sizeof(record);
  return s;
}

}  // namespace heapsmith::spans
