// The end of the memory in use, who may move it, and how it moves: what arenas and scopes share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heapsmith/detail/arena/bump.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/probe.hpp"

/// For the closure of a slow path: were it a function, it would be given its captures in memory,
/// and GCC writes them there before it knows whether there is room.
#define HS_INLINED __attribute__((always_inline))

namespace heapsmith::detail {

/**
 * [position, end) is free, and whoever holds the cursor may hand it out.
 *
 * An arena has one cursor. A scope that is opened takes it over and leaves an empty one, so that
 * the fast path of the arena, which only asks for room, finds none; the slow path then finds out
 * that a scope is open. The check that nobody uses a parent costs nothing where it passes.
 */
struct cursor {
  char* position = nullptr;
  char* end = nullptr;

  /// Returns: a block, or what `slow()` returns when there is no room.
  template <class Slow>
  [[gnu::always_inline]] void* allocate(std::size_t bytes, std::size_t align, Slow slow) {
    const auto address = reinterpret_cast<std::uintptr_t>(position);
    const auto place =
        bump<std::uintptr_t>(address, reinterpret_cast<std::uintptr_t>(end), bytes, align);
    if (!place.fits) [[unlikely]]
      return slow();
    char* const block = position + (place.begin - address);
    position += place.end - address;
    probe::given(block, bytes);
    return block;
  }

  /// Requires: there is room for `bytes` bytes. Returns: where they are.
  [[gnu::always_inline]] char* take(std::size_t bytes) noexcept {
    char* const block = position;
    // GCC takes the sum for the end of an array that the object's constructor fills, merges the two
    // from all paths, and then does not see how long the array is. It forgets what is added to.
    char* from = block;
    asm("" : "+r"(from));
    position = from + bytes;
    probe::given(block, bytes);
    return block;
  }

  /// How many bytes a block of `bytes` has: one of no bytes was given one.
  static constexpr std::size_t occupied(std::size_t bytes) { return bytes + (bytes == 0 ? 1 : 0); }

  bool ends_with(const void* p, std::size_t bytes) const noexcept {
    return static_cast<const char*>(p) + occupied(bytes) == position;
  }

  /// Effects: the last block ends; nothing when it is not the last one.
  void deallocate(void* p, std::size_t bytes) noexcept {
    if (ends_with(p, bytes)) position = static_cast<char*>(p);
    probe::taken(p, bytes);
  }

  /// Returns: whether the block is now `new_bytes` long: any block shrinks, the last one grows as
  /// far as there is room.
  bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept {
    char* const begin = static_cast<char*>(p);
    if (ends_with(p, old_bytes)) {
      if (new_bytes > static_cast<std::size_t>(end - begin)) return false;
      position = begin + occupied(new_bytes);
    } else if (new_bytes > old_bytes) {
      return false;
    }
    if (new_bytes < old_bytes)
      probe::taken(begin + new_bytes, old_bytes - new_bytes);
    else
      probe::given(begin + old_bytes, new_bytes - old_bytes);
    return true;
  }

  /// Effects: everything from `to` on is free again.
  void rewind(char* to) noexcept {
    probe::taken(to, static_cast<std::size_t>(position - to));
    position = to;
  }
};

/// Who holds a cursor, or has lent it to a scope.
struct cursor_holder : cursor {
  explicit cursor_holder(const char* kind, const char* name = nullptr) noexcept
      : kind(kind), name(name) {}

  const char* kind;                ///< "arena" or "scope"
  const char* name;                ///< given by the user, or nullptr
  cursor_holder* child = nullptr;  ///< the open scope that has the cursor, or whose child has it

  /// The cursor that moves, wherever it is.
  const cursor& active() const noexcept {
    const cursor_holder* holder = this;
    while (holder->child != nullptr) holder = holder->child;
    return *holder;
  }

  /// Bytes left in the current piece.
  std::size_t remaining() const noexcept {
    return static_cast<std::size_t>(active().end - active().position);
  }

  /// Requires: no scope is open here. Effects: the cursor moves to `to`, which is the open child.
  void lend(cursor_holder& to) noexcept {
    to.position = position;
    to.end = end;
    position = end = nullptr;
    // GCC warns of a local variable's address that outlives its function, and does not see that the
    // scope's destructor takes it away again on every path. It forgets where this came from.
    cursor_holder* open_child = &to;
    asm("" : "+r"(open_child));
    child = open_child;
  }

  /// Effects: stops the process when a scope is open here.
  void require_no_child(const char* deed) const noexcept {
    if (child != nullptr) [[unlikely]]
      abort_misuse(deed);
  }

 private:
  struct label {
    char text[80];
  };
  label describe() const noexcept {
    label out;
    if (name != nullptr)
      std::snprintf(out.text, sizeof out.text, "%s \"%.60s\"", kind, name);
    else
      std::snprintf(out.text, sizeof out.text, "%s at %p", kind, static_cast<const void*>(this));
    return out;
  }

  [[noreturn, gnu::cold, gnu::noinline]] void abort_misuse(const char* deed) const noexcept {
    const label mine = describe(), childs = child->describe();
    fatal("%s %s while its %s is open", deed, mine.text, childs.text);
  }
};

}  // namespace heapsmith::detail
