// How a region refers to places in its memory, and how it writes what must survive a sudden end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heapsmith/detail/probe.hpp"

namespace heapsmith::regions {

/// A word in a buffer: a header, a link or a boundary tag.
using word = detail::probe::word;
/// A place in the region's memory, as a number; 0 is none.
using link = std::uint64_t;

/// What an engine tells tools that watch memory.
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

/// Nothing: a tool watches one process, and cannot know what the others do with shared memory.
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

/// What the calls are called that stop a process for the pointer it gave them.
struct call_names {
  const char *free, *realloc, *try_expand;
};

/**
 * Links are addresses: for memory that one process has, at one place.
 *
 * A frame is the first base of a region's control data, so that `this` is where that lies. It turns
 * places into links and back, and publishes headers: of these, an owner's heir finds all that was
 * published when the owner was stopped, in that order.
 */
class address_frame {
 public:
  using watch = watched;
  static constexpr call_names calls = {"region_free", "region_realloc", "region_try_expand"};

 protected:
  [[nodiscard]] link link_to(const void* p) const { return reinterpret_cast<std::uintptr_t>(p); }
  [[nodiscard]] std::byte* place_of(link l) const { return reinterpret_cast<std::byte*>(l); }
  void publish(word& header, std::uint64_t value) { detail::probe::store(header, value); }
};

}  // namespace heapsmith::regions
