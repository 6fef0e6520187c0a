// A standard allocator over a home of blocks, whose calls a compiler does not see through.
#pragma once

#include <cstddef>

/// `Home` has allocate(bytes), and deallocate(p) or deallocate(p, bytes).
template <class T, class Home>
struct home_allocator {
  using value_type = T;
  Home* home;

  explicit home_allocator(Home& h) : home(&h) {}
  template <class Other>
  home_allocator(const home_allocator<Other, Home>& other) : home(other.home) {}
  [[gnu::noinline]] T* allocate(std::size_t count) {
    return static_cast<T*>(home->allocate(count * sizeof(T)));
  }
  [[gnu::noinline]] void deallocate(T* p, [[maybe_unused]] std::size_t count) {
    if constexpr (requires { home->deallocate(p, count); })
      home->deallocate(p, count * sizeof(T));
    else
      home->deallocate(p);
  }
  bool operator==(const home_allocator&) const = default;
};
