// What a scope knows about objects that have destructors: runs of one type, side by side.
#pragma once

#include <cstddef>

namespace heapsmith::detail {

/**
 * Objects of one type at [begin, end), without gaps, to be destroyed from the last to the first.
 *
 * A run lies before its first object in the scope's memory. Objects of the same type that follow
 * lengthen it, so a million objects cost one entry and are destroyed in a loop without calls.
 */
struct object_run {
  using destroy_function = void (*)(char* begin, char* end) noexcept;

  object_run* older = nullptr;
  destroy_function destroy = nullptr;
  char* begin = nullptr;
  char* end = nullptr;
};

/// The oldest run of every scope. No type's objects lengthen it, and nothing is ever written to it.
inline constinit object_run no_objects;

template <class T>
void destroy_run(char* begin, char* end) noexcept {
  T* const first = reinterpret_cast<T*>(begin);
  for (T* i = reinterpret_cast<T*>(end); i != first;) (--i)->~T();
}

/// Effects: `construct(at + i)` for each i below `count`. When one throws, those before it are
/// destroyed, last first, as the language does with an array.
template <class T, class Construct>
void construct_each(T* at, std::size_t count, Construct construct) {
  struct partial {
    ~partial() { destroy_run<T>(reinterpret_cast<char*>(first), reinterpret_cast<char*>(next)); }
    T* first;
    T* next;
  } made{at, at};
  for (; made.next != at + count; ++made.next) construct(made.next);
  made.first = made.next;
}

}  // namespace heapsmith::detail
