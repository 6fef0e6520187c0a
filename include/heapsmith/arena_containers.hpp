// Vectors and strings in an arena: arena_vector and arena_string.
#pragma once

#include "heapsmith/detail/language.hpp"
#if HEAPSMITH_HAS_CPP20

#include <string>
#include <vector>

#include "heapsmith/allocator.hpp"
#include "heapsmith/arena.hpp"

namespace heapsmith {

/**
 * A std::vector whose memory comes from the resource that is passed to its constructor: an arena,
 * or a scope as in `arena_vector<T, scope<>>`.
 *
 * Its destructor destroys the elements; the arena's reset() or destructor frees the memory. So
 * destroy the vector before that. A vector that grows leaves its old memory behind, unless it was
 * the arena's last block; use reserve() if you know the size.
 *
 * Errors: throws arena_exhausted, as the arena does. Thread safety: that of std::vector.
 *
 * Other containers work alike, such as `std::list<T, resource_allocator<T, arena<>>>`.
 *
 * ```cpp
 * heapsmith::arena a;
 * heapsmith::arena_vector<int> primes({2, 3, 5, 7}, a);
 * primes.push_back(11);
 * heapsmith::arena_string name("a name that is too long for the string object", a);
 * ```
 */
template <class T, resource R = arena<>>
using arena_vector = std::vector<T, resource_allocator<T, R>>;

/// A std::basic_string whose memory comes from the resource that is passed to its constructor.
template <class Character, resource R = arena<>>
using basic_arena_string =
    std::basic_string<Character, std::char_traits<Character>, resource_allocator<Character, R>>;
using arena_string = basic_arena_string<char>;

}  // namespace heapsmith

#endif  // HEAPSMITH_HAS_CPP20
