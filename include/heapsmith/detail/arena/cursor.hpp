// The cursor of arenas and scopes: the end of the memory in use, and its holder.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heapsmith/detail/arena/bump.hpp"
#include "heapsmith/detail/fatal.hpp"
#include "heapsmith/detail/probe.hpp"

/// For the closure of a slow path. As a function of its own it would get its captures in memory,
/// and GCC would write them there before it knows whether there is room.
#define HS_INLINED __attribute__((always_inline))

namespace heapsmith::detail {

/**
 * [position, end) is free. The holder of the cursor cuts blocks off it.
 *
 * An arena has one cursor. A scope that opens takes it over and leaves an empty one behind. So the
 * fast path of the arena, which only checks for room, finds none, and the slow path finds the open
 * scope. The check that a parent is not used costs nothing if it passes.
 */
struct cursor {
  char* position = nullptr;
  char* end = nullptr;

  /// Returns: a block, or the result of `slow()` if there is no room.
  template <class Slow>
  [[gnu::always_inline]] void* allocate(std::size_t bytes, std::size_t align, Slow slow) {
    const auto address = reinterpret_cast<std::uintptr_t>(position);
    const auto found =
        bump<std::uintptr_t>(address, reinterpret_cast<std::uintptr_t>(end), bytes, align);
    if (!found.fits) [[unlikely]]
      return slow();
    char* const block = position + (found.begin - address);
    position += found.end - address;
    probe::given(block, bytes);
    return block;
  }

  /// Requires: there is room for `bytes` bytes. Returns: a pointer to them.
  [[gnu::always_inline]] char* take(std::size_t bytes) noexcept {
    char* const block = position;
    // GCC would take the sum for the end of an array that the object's constructor fills, and lose
    // the length of the array. The empty assembly hides where the sum comes from.
    char* from = block;
    asm("" : "+r"(from));
    position = from + bytes;
    probe::given(block, bytes);
    return block;
  }

  /// Returns: the bytes that a block takes up. A block of 0 bytes takes 1.
  static constexpr std::size_t occupied(std::size_t bytes) { return bytes + (bytes == 0 ? 1 : 0); }

  /// `p` may be nullptr, to which nothing can be added.
  bool ends_with(const void* p, std::size_t bytes) const noexcept {
    return reinterpret_cast<std::uintptr_t>(p) + occupied(bytes) ==
           reinterpret_cast<std::uintptr_t>(position);
  }

  /// Effects: frees the block if it is the last one; does nothing otherwise.
  void deallocate(void* p, std::size_t bytes) noexcept {
    if (ends_with(p, bytes)) position = static_cast<char*>(p);
    probe::taken(p, bytes);
  }

  /// Effects: resizes the block in place. Any block can shrink; the last block can grow to `end`.
  /// Returns: true if the block now has `new_bytes` bytes.
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

  /// Effects: frees everything from `to` on.
  void rewind(char* to) noexcept {
    probe::taken(to, static_cast<std::size_t>(position - to));
    position = to;
  }
};

/// An arena or a scope: it holds the cursor, or has lent it to a scope that is open on it.
struct cursor_holder : cursor {
  explicit cursor_holder(const char* a_kind, const char* a_name = nullptr) noexcept
      : kind(a_kind), name(a_name) {}

  const char* kind;                ///< "arena" or "scope"
  const char* name;                ///< the user's, or nullptr
  cursor_holder* child = nullptr;  ///< the scope that is open here, or nullptr

  /// Returns: the cursor in use: that of the innermost open scope.
  const cursor& active() const noexcept {
    const cursor_holder* holder = this;
    while (holder->child != nullptr) holder = holder->child;
    return *holder;
  }

  /// Returns: the free bytes in the current piece.
  std::size_t remaining() const noexcept {
    return static_cast<std::size_t>(active().end - active().position);
  }

  /// Requires: no scope is open here. Effects: `to` gets the cursor and is the open child.
  void lend(cursor_holder& to) noexcept {
    to.position = position;
    to.end = end;
    position = end = nullptr;
    // GCC warns that the address of a local variable outlives its function. It does not see that
    // the scope's destructor clears `child` on every path. The empty assembly hides the address.
    cursor_holder* open_child = &to;
    asm("" : "+r"(open_child));
    child = open_child;
  }

  /// Effects: aborts if a scope is open here. `participle` says what was done to the parent.
  void require_no_child(const char* participle) const noexcept {
    if (child != nullptr) [[unlikely]]
      abort_misuse(participle);
  }

 private:
  struct label {
    char text[80];
  };
  label describe(const char* as) const noexcept {
    label out;
    if (name != nullptr)
      std::snprintf(out.text, sizeof out.text, "%s \"%.60s\"", as, name);
    else
      std::snprintf(out.text, sizeof out.text, "%s at %p", as, static_cast<const void*>(this));
    return out;
  }

  [[noreturn, gnu::cold, gnu::noinline]] void abort_misuse(const char* participle) const noexcept {
    const label parent = describe(kind);
    const label open = child->describe(kind == child->kind ? "child" : child->kind);
    fatal("%s %s while its %s is open", parent.text, participle, open.text);
  }
};

}  // namespace heapsmith::detail
