// A bump allocator of atomics alone, which any signal may find. docs/design/threads-and-fork.md
#include "heap/emergency.hpp"

#include <algorithm>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/units.hpp"
#include "os/os.hpp"

namespace heapsmith::emergency {
namespace {

constexpr std::size_t piece_bytes = 256 * KiB;
constexpr std::size_t header_bytes = block_align;  // in front of each block: its usable bytes

struct piece {
  piece* next;
  std::size_t bytes;  // of the whole mapping
  atomic<std::size_t> used;
};

// release/acquire: a thread that finds a piece here finds it filled in.
constinit atomic<piece*> pieces{nullptr};

piece* add_piece(std::size_t least) {
  const std::size_t bytes = round_up(std::max(piece_bytes, least), os::page_bytes());
  auto* p = static_cast<piece*>(os::map(bytes, os::page_bytes()));
  if (p == nullptr) return nullptr;
  p->bytes = bytes;
  p->used.store(sizeof(piece), relaxed);  // not yet shared
  p->next = pieces.load(relaxed);         // a guess; the exchange checks it
  while (!pieces.compare_exchange_weak(p->next, p, release, relaxed)) {
  }
  return p;
}

}  // namespace

void* allocate(std::size_t bytes, std::size_t align) {
  const std::size_t room =
      round_up(bytes, block_align) + header_bytes + std::max(align, block_align);
  if (room < bytes || room > object_max - piece_bytes) return nullptr;
  for (piece* p = pieces.load(acquire);;) {
    if (p == nullptr && (p = add_piece(room + sizeof(piece))) == nullptr) return nullptr;
    const std::size_t at = p->used.fetch_add(room, relaxed);  // only divides the bytes up
    if (at + room > p->bytes) {
      p = nullptr;
      continue;
    }
    const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(p) + at + header_bytes;
    const std::uintptr_t user = round_up(start, std::max(align, block_align));
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(p) + at + room;
    reinterpret_cast<std::size_t*>(user)[-1] = end - user;
    return reinterpret_cast<void*>(user);
  }
}

bool owns(const void* p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  for (const piece* q = pieces.load(acquire); q != nullptr; q = q->next)
    if (address - reinterpret_cast<std::uintptr_t>(q) < q->bytes) return true;
  return false;
}

std::size_t usable_bytes(const void* p) {
  return static_cast<const std::size_t*>(p)[-1];
}

}  // namespace heapsmith::emergency
