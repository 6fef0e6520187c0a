// Members of engine: a region made anew from its headers.
#pragma once

#include "region/memory.hpp"

namespace heapsmith::regions {

/// Calls visit(b, info) for every block of a range; false when a header is broken.
template <class Frame>
template <class Visit>
bool engine<Frame>::walk(const range& r, Visit&& visit) const {
  for (link at = r.first; at != r.last;) {
    block* const b = block_at(at);
    const block_info i = info(b);
    const std::size_t size = i.size();
    if (!i.is_sealed() || size == 0 || size > r.last - at) return false;
    at += size;
    visit(b, i);
  }
  const block_info sentinel = info(block_at(r.last));
  return sentinel.is_sealed() && sentinel.size() == 0 && sentinel.is_live();
}

template <class Frame>
template <class Visit>
bool engine<Frame>::for_each_block(Visit&& visit) const {
  for (const range& r : ranges_) {
    const bool is_whole = walk(r, [&](block* b, block_info i) {
      if (i.size() >= block_min) visit(b->payload(), i);
    });
    if (!is_whole) return false;
  }
  return true;
}

template <class Frame>
bool engine<Frame>::rebuild() {
  for (const range& r : ranges_)
    if (!walk(r, [](block*, block_info) {})) return false;
  this->clear();
  for (word& head : quick_) head = 0;
  deferred_room_ = highest_room_ = deferred_limit_ = 0;
  taken_ = blocks_ = next_victim_ = 0;
  for (const range& r : ranges_) rebuild_range(r);
  if (is_started()) make_current(ranges_[0]);
  peak_ = std::max(peak_, taken_);
  return true;
}

/// Joins what is free, wherever it adjoins, and tells every block what lies in front of it.
template <class Frame>
void engine<Frame>::rebuild_range(const range& r) {
  block* free_run = nullptr;
  std::size_t run_bytes = 0;
  const auto end_run = [&] {
    if (free_run == nullptr) return;
    this->write(free_run, run_bytes | is_free);
    put_free(free_run, run_bytes, false);
    ++blocks_;
    free_run = nullptr;
  };
  for (link at = r.first; at != r.last;) {
    block* const b = block_at(at);
    const block_info i = info(b);
    const std::size_t size = i.size();
    at += size;
    if (i.is_live()) {
      this->write(b, size | (free_run != nullptr ? std::uint64_t{after_free} : 0));
      end_run();
      taken_ += size < block_min ? 0 : size;
      ++blocks_;
    } else if (free_run == nullptr) {
      free_run = b;
      run_bytes = size;
    } else {
      run_bytes += size;
      this->write(free_run, run_bytes | is_free);
      this->erase(b);
    }
  }
  this->write(block_at(r.last), free_run != nullptr ? std::uint64_t{after_free} : 0);
  end_run();
}

}  // namespace heapsmith::regions
