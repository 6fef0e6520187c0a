// How a region refers to its memory, and how it writes headers that must survive a sudden end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heapsmith/detail/probe.hpp"
#include "region/bins.hpp"

namespace heapsmith::regions {

/// A word in a buffer: a header or a boundary tag.
using word = detail::probe::word;
/// A position in the region's memory, as a number; 0 stands for no position.
using link = std::uintptr_t;
/// A link in a buffer, or the head of a list of blocks.
using link_word = detail::probe::link_word;

/// Reports an engine's events to tools that watch memory.
struct watched {
  static void enter_buffer(const void* owner, void* at, std::size_t bytes) {
    detail::probe::enter_buffer(owner, at, bytes);
  }
  static void leave_buffer(const void* owner, void* at, std::size_t bytes) {
    detail::probe::leave_buffer(owner, at, bytes);
  }
  static void allocated(const void* owner, void* at, std::size_t bytes, std::size_t usable) {
    detail::probe::allocated(owner, at, bytes, usable);
  }
  static void freed(const void* owner, void* at, std::size_t usable) {
    detail::probe::freed(owner, at, usable);
  }
  static void resized(const void* owner, void* at, std::size_t bytes, std::size_t usable) {
    detail::probe::resized(owner, at, bytes, usable);
  }
  static void opened(const void* owner, const void* at, std::size_t usable) {
    detail::probe::opened(owner, at, usable);
  }
  static void moved(const void* owner, void* from, void* to, std::size_t usable) {
    detail::probe::moved(owner, from, to, usable);
  }
  static void ended(const void* owner) { detail::probe::ended(owner); }
};

/// Reports nothing: a tool watches one process, and does not see what others do in shared memory.
struct unwatched {
  static void enter_buffer(const void*, void*, std::size_t) {}
  static void leave_buffer(const void*, void*, std::size_t) {}
  static void allocated(const void*, void*, std::size_t, std::size_t) {}
  static void freed(const void*, void*, std::size_t) {}
  static void resized(const void*, void*, std::size_t, std::size_t) {}
  static void opened(const void*, const void*, std::size_t) {}
  static void moved(const void*, void*, void*, std::size_t) {}
  static void ended(const void*) {}
};

/// The names of calls, for messages about the pointers that were passed to them.
struct call_names {
  const char *free, *realloc, *try_expand;
};

/**
 * The frame of a region in one process: links are addresses.
 *
 * A frame is the first base class of a region's control data, so `this` is the address of that. It
 * chooses the bins, converts addresses to links and back, and publishes headers. If the owner of a
 * region dies, its heir finds the headers that were published before, in the order of publication.
 */
template <class Bins = region_bins::fine>
class address_frame {
 public:
  using bins = Bins;
  using watch = watched;
  static constexpr call_names calls = {"region_free", "region_realloc", "region_try_expand"};

 protected:
  [[nodiscard]] link link_to(const void* p) const { return reinterpret_cast<std::uintptr_t>(p); }
  [[nodiscard]] std::byte* address_of(link l) const { return reinterpret_cast<std::byte*>(l); }
  void publish(word& header, std::uint64_t value) { detail::probe::store(header, value); }
};

}  // namespace heapsmith::regions
