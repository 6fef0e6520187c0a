// The rules of a correct region.
#include "region_model.hpp"

#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <iterator>

#ifdef HEAPSMITH_UNDER_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace heapsmith::fuzz {
namespace {

/// The first byte whose access a sanitizer would report, or nullptr.
[[maybe_unused]] const void* first_unreadable(const unsigned char* p, std::size_t bytes) {
#ifdef HEAPSMITH_UNDER_ASAN
  return __asan_region_is_poisoned(const_cast<unsigned char*>(p), bytes);
#else
  return static_cast<void>(bytes), static_cast<const void*>(nullptr == p ? p : nullptr);
#endif
}

/// The blocks of a region, as its visitor gets them.
struct seen_blocks {
  std::map<const unsigned char*, std::size_t> in_use;  // start → usable bytes
  std::vector<hs_region_block> free;                   // and deferred
  std::size_t deferred = 0;

  explicit seen_blocks(const questions& region) {
    region.for_each_block(
        [](void* context, const hs_region_block* b) {
          auto& seen = *static_cast<seen_blocks*>(context);
          if (b->state == HS_REGION_IN_USE)
            seen.in_use.emplace(static_cast<unsigned char*>(b->pointer), b->bytes);
          else
            seen.free.push_back(*b), seen.deferred += b->state == HS_REGION_DEFERRED;
        },
        this);
  }
};

constexpr std::size_t header_bytes = 8;
constexpr std::size_t smallest_block = 32;

/// The bytes that a request takes from a free block, with the header.
constexpr std::size_t block_bytes_for(std::size_t bytes) {
  return std::max(smallest_block, (bytes + header_bytes + 15) / 16 * 16);
}

/// Whether a block of `bytes` at a multiple of `align` can be cut from a free block. The rest in
/// front must be empty or a block.
bool could_serve(const hs_region_block& free, std::size_t bytes, std::size_t align) {
  const auto begin = reinterpret_cast<uintptr_t>(free.pointer);
  const uintptr_t end = begin + free.bytes;  // the header of the next block
  uintptr_t p = (begin + align - 1) / align * align;
  while (p != begin && p - begin < smallest_block) p += align;
  return p >= begin && p <= end && end - p + header_bytes >= block_bytes_for(bytes);
}

}  // namespace

std::size_t region_bytes(tape& t) {
  const unsigned shift = t.byte() % 40;
  const std::size_t top = std::size_t{1} << (shift < 20 ? shift : shift % 11);
  const unsigned how = t.byte() % 4;
  if (how == 0) return top - 1;
  if (how == 1) return top + t.byte() % 32;
  return t.below(top);
}

void region_model::add_buffer(extent buffer) {
  buffers_.push_back(buffer);
  std::sort(buffers_.begin(), buffers_.end(),
            [](const extent& a, const extent& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < buffers_.size();) {
    if (buffers_[i - 1].end == buffers_[i].begin) {
      buffers_[i - 1].end = buffers_[i].end;
      buffers_.erase(buffers_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

bool region_model::overlaps_buffer(extent e) const {
  return std::any_of(buffers_.begin(), buffers_.end(),
                     [&](const extent& b) { return e.begin < b.end && b.begin < e.end; });
}

void region_model::add(void* p, std::size_t bytes, std::size_t align) {
  auto* start = static_cast<unsigned char*>(p);
  const std::size_t usable = region_.usable_size(p);
  HS_MUST(usable >= bytes);
  HS_MUST(reinterpret_cast<uintptr_t>(p) % std::max<std::size_t>(align, 16) == 0);
  HS_MUST(std::any_of(buffers_.begin(), buffers_.end(), [&](const extent& e) {
    return e.begin + header_bytes <= start && start + usable <= e.end;
  }));
  const auto next = extents_.lower_bound(start);
  HS_MUST(next == extents_.end() || start + usable + header_bytes <= next->first);
  HS_MUST(next == extents_.begin() || std::prev(next)->second + header_bytes <= start);
  HS_MUST(first_unreadable(start, bytes) == nullptr);
  HS_MUST(region_.owns(p));
  extents_.emplace_hint(next, start, start + usable);
  blocks_.push_back({start, bytes, align, next_mark_++});
  memset(start, blocks_.back().mark, bytes);
}

block region_model::remove(std::size_t index) {
  std::swap(blocks_[index], blocks_.back());
  const block b = blocks_.back();
  model::check(b);
  blocks_.pop_back();
  extents_.erase(b.p);
  return b;
}

void region_model::forget_blocks() {
  blocks_.clear();
  extents_.clear();
}

void region_model::check_refusal(std::size_t bytes, std::size_t align) const {
  const seen_blocks seen(region_);
  HS_MUST(seen.deferred == 0);
  for (const hs_region_block& b : seen.free)
    HS_MUST(!could_serve(b, bytes, std::max<std::size_t>(align, 16)));
}

void region_model::check_unreadable(const block& b) {
#ifdef HEAPSMITH_UNDER_ASAN
  for (std::size_t i = 0; i < b.bytes; i += 1 + i / 16)
    HS_MUST(__asan_address_is_poisoned(b.p + i) != 0);
#else
  static_cast<void>(b);
#endif
}

void region_model::check_region() const {
  if (const int broken = region_.check()) wrong(hs_region_invariant(broken), __LINE__);
  const seen_blocks seen(region_);
  HS_MUST(seen.in_use.size() == blocks_.size());
  std::size_t in_use_bytes = 0, free_bytes = 0;
  for (const auto& [start, end] : extents_) {
    const auto found = seen.in_use.find(start);
    HS_MUST(found != seen.in_use.end() && start + found->second == end);
    in_use_bytes += found->second + header_bytes;
  }
  for (const hs_region_block& b : seen.free) free_bytes += b.bytes + header_bytes;

  const hs_region_statistics s = region_.stats();
  HS_MUST(s.in_use_bytes == in_use_bytes && s.available_bytes == free_bytes);
  HS_MUST(s.peak_bytes >= s.in_use_bytes && s.buffers == buffers_.size());
  HS_MUST(s.blocks == seen.in_use.size() + seen.free.size());
  std::size_t buffer_bytes = 0;
  for (const extent& e : buffers_) buffer_bytes += e.bytes();
  HS_MUST(s.buffer_bytes == buffer_bytes);
  HS_MUST(s.in_use_bytes + s.available_bytes <= buffer_bytes);
}

void region_model::check_contents() const {
  for (const block& b : blocks_) model::check(b);
}

}  // namespace heapsmith::fuzz
