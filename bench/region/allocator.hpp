// A standard allocator over a contender, for the containers of `bench region`.
#pragma once

#include <cstddef>
#include <new>

#include "contender.hpp"

namespace bench {

template <class T>
class allocator {
 public:
  using value_type = T;

  explicit allocator(contender& from) : contender_(&from) {}

  template <class Other>
  // NOLINTNEXTLINE(google-explicit-constructor): the allocator requirements ask for it
  allocator(const allocator<Other>& other) : contender_(other.its_contender()) {}

  T* allocate(std::size_t count) {
    void* block = allocate_from(*contender_, count * sizeof(T));
    if (block == nullptr) throw std::bad_alloc();
    return static_cast<T*>(block);
  }

  void deallocate(T* block, std::size_t count) {
    deallocate_to(*contender_, block, count * sizeof(T));
  }

  contender* its_contender() const { return contender_; }

  template <class Other>
  bool operator==(const allocator<Other>& other) const {
    return contender_ == other.its_contender();
  }

 private:
  contender* contender_;
};

}  // namespace bench
