// The table of direct maps: open addressing by address, under a lock. docs/design/misuse.md
#include "spans/direct_maps.hpp"

#include <algorithm>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/units.hpp"
#include "os/diagnose.hpp"
#include "os/os.hpp"
#include "spans/settings.hpp"

namespace heapsmith::spans {
namespace {

struct entry {
  void* start;        // null: free, and ends a probe
  std::size_t bytes;  // 0: a thread is about to end it
  account* holder;
  std::size_t room;  // bytes mapped behind them, for growth: no memory
  std::size_t mapped() const { return bytes + room; }
};

constexpr std::size_t least_capacity = 128;

struct map_table {
  os::lock lock{os::lock_rank::direct_maps};
  entry* entries = nullptr;
  std::size_t capacity = 0;  // a power of two
  std::size_t used = 0;
  std::size_t bytes = 0;
};
constinit map_table table;

std::size_t home_of(const void* p, std::size_t capacity) {
  const std::uint64_t mixed = (reinterpret_cast<std::uintptr_t>(p) >> 12) * 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(mixed >> 32) & (capacity - 1);
}

entry* find_locked(const void* p) {
  if (table.capacity == 0) return nullptr;
  for (std::size_t i = home_of(p, table.capacity);; i = (i + 1) & (table.capacity - 1)) {
    if (table.entries[i].start == p) return &table.entries[i];
    if (table.entries[i].start == nullptr) return nullptr;
  }
}

void put_locked(entry e) {
  std::size_t i = home_of(e.start, table.capacity);
  while (table.entries[i].start != nullptr && table.entries[i].start != e.start)
    i = (i + 1) & (table.capacity - 1);
  // The same address: its mapping has ended, and the thread that ended it will leave this entry.
  table.used += table.entries[i].start == nullptr;
  table.entries[i] = e;
  table.bytes += e.bytes;
}

/// Keeps the table at most half full. False: out of memory.
bool make_room_locked() {
  if ((table.used + 1) * 2 <= table.capacity) return true;
  const std::size_t old_capacity = table.capacity;
  const std::size_t capacity = old_capacity == 0 ? least_capacity : 2 * old_capacity;
  auto* entries = static_cast<entry*>(os::map(capacity * sizeof(entry), os::page_bytes()));
  if (entries == nullptr) return false;
  entry* old = table.entries;
  table.entries = entries;
  table.capacity = capacity;
  table.used = table.bytes = 0;
  for (std::size_t i = 0; i < old_capacity; ++i)
    if (old[i].start != nullptr) put_locked(old[i]);
  if (old != nullptr) os::unmap(old, old_capacity * sizeof(entry));
  return true;
}

/// Removes an entry and closes the gap, so that probes need no tombstones.
void remove_locked(entry* e) {
  --table.used;
  table.bytes -= e->bytes;
  const std::size_t mask = table.capacity - 1;
  auto gap = static_cast<std::size_t>(e - table.entries);
  for (std::size_t i = (gap + 1) & mask; table.entries[i].start != nullptr; i = (i + 1) & mask) {
    const std::size_t home = home_of(table.entries[i].start, table.capacity);
    if (((i - home) & mask) < ((i - gap) & mask)) continue;
    table.entries[gap] = table.entries[i];
    gap = i;
  }
  table.entries[gap] = {};
}

/// A mapping that the kernel refused to end, being out of mappings. Its first page holds this.
struct leftover {
  leftover* next;
  std::size_t bytes;
};
/// First in, first out: one that cannot end yet does not stand in the way of the others.
struct {
  leftover* first = nullptr;
  leftover* last = nullptr;
  std::size_t count = 0;
} constinit leftovers;

void put_leftover_locked(leftover* l) {
  l->next = nullptr;
  (leftovers.first == nullptr ? leftovers.first : leftovers.last->next) = l;
  leftovers.last = l;
}

/// Tries again to end up to `count` mappings. True if one ended: others may end now, too.
bool retry_leftovers_locked(std::size_t count) {
  bool ended = false;
  for (; count != 0 && leftovers.first != nullptr; --count) {
    leftover* const l = leftovers.first;
    leftovers.first = l->next;
    const std::size_t bytes = l->bytes;
    if (os::unmap(l, bytes)) {
      --leftovers.count;
      ended = true;
      continue;
    }
    l->bytes = bytes;  // the refused call has cleared the page
    put_leftover_locked(l);
  }
  return ended;
}

/// So many are tried again for each mapping that ends.
constexpr std::size_t retries_at_once = 2;

/// A mapping was ended, or the kernel refused to end it.
void note_end_locked(void* p, std::size_t bytes, bool ended) {
  if (ended) {
    retry_leftovers_locked(retries_at_once);
    return;
  }
  ++leftovers.count;
  auto* const l = static_cast<leftover*>(p);
  l->bytes = bytes;
  put_leftover_locked(l);
}

/// Ends a mapping, now or later. Without the table's lock: the kernel may take long.
void end_mapping(void* p, std::size_t bytes) {
  const bool ended = os::unmap(p, bytes);
  const os::lock_guard guard(table.lock);
  note_end_locked(p, bytes, ended);
}

/// The room of a map that grew from `old` bytes to `size`: a half of it, if it grows by at most a
/// quarter at once, and may do so again. None where address space is limited.
[[gnu::cold]] std::size_t room_behind(std::size_t old, std::size_t size) {
  if (size - old > old / 4 || space_is_limited()) return 0;
  return round_up(size / 2, os::page_bytes());
}

/// The room that stays behind `size` bytes of a map. It has memory if the program has locked all of
/// its memory; room that cannot lose it is unmapped.
[[gnu::cold]] std::size_t keep_room(void* p, std::size_t size, std::size_t room) {
  char* const end = static_cast<char*>(p) + size;
  return room == 0 || os::decommit(end, room) || !os::unmap(end, room) ? room : 0;
}

/// Maps with the room, or without it.
void* map_or_make_room(std::size_t size, std::size_t align, std::size_t& room) {
  void* p = os::map(size + room, align);
  if (p == nullptr && room != 0) p = os::map(size + (room = 0), align);
  if (p == nullptr && make_address_space()) p = os::map(size, align);
  if (p == nullptr) return nullptr;
  // The kernel says whether a direct map has huge pages, unless the user wants none anywhere.
  if (settings().huge_pages == huge_pages::never) os::advise_huge_pages(p, size + room, false);
  room = keep_room(p, size, room);
  return p;
}

bool enter(const entry& e) {
  const os::lock_guard guard(table.lock);
  if (!make_room_locked()) return false;
  put_locked(e);
  ever_mapped_directly.store(true, relaxed);  // see had_direct_maps()
  return true;
}

}  // namespace

constinit atomic<bool> ever_mapped_directly{false};

os::lock& the_direct_map_lock() {
  return table.lock;
}

[[gnu::cold]] void* direct_map(std::size_t bytes, std::size_t align, account* holder,
                               std::size_t grew_from) {
  const std::size_t size = round_up(std::max<std::size_t>(bytes, 1), os::page_bytes());
  if (size < bytes || !charge(size, holder)) return nullptr;
  std::size_t room = grew_from != 0 ? room_behind(grew_from, size) : 0;
  void* const p = map_or_make_room(size, align, room);
  if (p != nullptr && enter({p, size, holder, room})) {
    settle_charge(holder);
    return p;
  }
  if (p != nullptr) end_mapping(p, size + room);
  discharge(size, holder);
  return nullptr;
}

std::size_t direct_map_bytes(const void* p) {
  if (!had_direct_maps() || os::interrupts(table.lock)) return 0;
  const os::lock_guard guard(table.lock);
  const entry* e = find_locked(p);
  return e == nullptr ? 0 : e->bytes;
}

account* direct_map_account(const void* p) {
  if (!had_direct_maps() || os::interrupts(table.lock)) return nullptr;
  const os::lock_guard guard(table.lock);
  const entry* e = find_locked(p);
  return e == nullptr ? nullptr : e->holder;
}

bool lies_in_direct_map(const void* p) {
  constexpr std::size_t most = 1024;  // entries looked at: a few microseconds
  if (!had_direct_maps() || os::interrupts(table.lock)) return false;
  const os::lock_guard guard(table.lock);
  if (table.capacity > most) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  for (std::size_t i = 0; i < table.capacity; ++i) {
    const entry& e = table.entries[i];
    if (at - reinterpret_cast<std::uintptr_t>(e.start) < e.bytes) return true;
  }
  return false;
}

bool direct_unmap(void* p) {
  if (os::interrupts(table.lock))
    return true;  // a signal handler's free: rather lost than deadlocked
  entry ended;
  {
    const os::lock_guard guard(table.lock);
    entry* e = find_locked(p);
    if (e == nullptr) return false;
    if (e->bytes == 0) os::abort_misuse("free", p, "another thread is freeing the block");
    ended = *e;
    table.bytes -= e->bytes;
    e->bytes = 0;  // the entry stays while the kernel works: a second free finds it
  }
  const bool is_ended = os::unmap(p, ended.mapped());
  {
    const os::lock_guard guard(table.lock);
    entry* e = find_locked(p);
    if (e != nullptr && e->bytes == 0) remove_locked(e);
    note_end_locked(p, ended.mapped(), is_ended);
  }
  discharge(ended.bytes, ended.holder);
  return true;
}

[[gnu::cold]] void direct_unmap_all(const account& holder) {
  // Entries close up when one is removed, so the same index is looked at again.
  const os::lock_guard guard(table.lock);
  for (std::size_t i = 0; i < table.capacity;) {
    const entry e = table.entries[i];
    if (e.bytes == 0 || e.holder != &holder) {
      ++i;
      continue;
    }
    remove_locked(&table.entries[i]);
    note_end_locked(e.start, e.mapped(), os::unmap(e.start, e.mapped()));
    discharge(e.bytes, e.holder);
  }
}

void direct_end_leftovers() {
  // A mapping that ends can let others end. Where each lets only one, the rest waits for later
  // ends.
  constexpr unsigned most_passes = 8;
  if (!had_direct_maps()) return;
  const os::lock_guard guard(table.lock);
  for (unsigned n = 0; n < most_passes && retry_leftovers_locked(leftovers.count); ++n) continue;
}

[[gnu::cold]] void* direct_remap(void* p, std::size_t bytes) {
  const std::size_t size = round_up(bytes, os::page_bytes());
  if (size < bytes) return nullptr;
  // Locked throughout: while the kernel moves it, its old address may become that of another map.
  const os::lock_guard guard(table.lock);
  entry* e = find_locked(p);
  if (e == nullptr || e->bytes == 0) return nullptr;
  const std::size_t old = e->bytes;
  if (size == old) return p;
  account* const holder = e->holder;
  if (size > old && !charge(size - old, holder)) return nullptr;
  void* q = p;
  std::size_t room = 0;
  if (size > old && size <= e->mapped()) {
    room = e->mapped() - size;
  } else {
    // The kernel moves no two mappings at once, and the program may have given advice for its
    // block.
    if (e->room != 0 && os::unmap(static_cast<char*>(p) + old, e->room)) e->room = 0;
    const std::size_t mapped = e->mapped();
    bool lacks_room = false;
    if (size > old) room = room_behind(old, size);
    q = os::remap(p, mapped, size + room, lacks_room);
    if (q == nullptr && room != 0) q = os::remap(p, mapped, size + (room = 0), lacks_room);
    if (q == nullptr && lacks_room && size > old && make_address_space())
      q = os::remap(p, mapped, size, lacks_room);
    if (q != nullptr) room = keep_room(q, size, room);
  }
  if (q == nullptr) {
    if (size > old) discharge(size - old, holder);
    return nullptr;
  }
  if (size < old) discharge(old - size, holder);
  remove_locked(e);
  put_locked({q, size, holder, room});
  settle_charge(holder);
  return q;
}

direct_map_stats stats_of_direct_maps() {
  const os::outer_guard guard(table.lock);
  return {table.used, table.bytes};
}

}  // namespace heapsmith::spans
