// Contender limit: the same work on an array that exists beforehand, without an allocator.
//
// All that remains of an allocator is an index that goes up. It lies in memory, as in any allocator
// with more than one caller; nothing checks whether the array has room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "support/measure.hpp"

namespace bench {

/// The array and its index.
class counted_array {
 public:
  explicit counted_array(std::span<std::byte> buffer) : begin_(buffer.data()) {}

  [[gnu::always_inline]] void* next(std::size_t bytes, std::size_t align) {
    const std::size_t at = (index_ + align - 1) & ~(align - 1);
    index_ = at + bytes;
    asm volatile("" : "+m"(index_));  // the compiler may not keep it in a register
    return begin_ + at;
  }

  void restart() { index_ = 0; }

 private:
  std::byte* begin_;
  std::size_t index_ = 0;
};

/// For a vector that grows: the two halves of the array alternate, since at most two blocks live.
class two_halves {
 public:
  explicit two_halves(std::span<std::byte> buffer)
      : begin_(buffer.data()), half_(buffer.size() / 2) {}

  [[gnu::always_inline]] void* next(std::size_t, std::size_t) {
    std::swap(begin_, other_);
    return other_;
  }

 private:
  std::byte* begin_;
  std::size_t half_;
  std::byte* other_ = begin_ + half_;
};

template <class T, class Array = counted_array>
class array_allocator {
 public:
  using value_type = T;

  template <class U>
  struct rebind {
    using other = array_allocator<U, Array>;
  };

  explicit array_allocator(Array& array) : array_(&array) {}
  template <class U>
  array_allocator(const array_allocator<U, Array>& other) : array_(other.array()) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(array_->next(count * sizeof(T), alignof(T)));
  }
  void deallocate(T*, std::size_t) {}

  Array* array() const { return array_; }
  template <class U>
  bool operator==(const array_allocator<U, Array>& other) const {
    return array_ == other.array();
  }

 private:
  Array* array_;
};

/// The limit of vectors that grow.
struct limit_of_growth {
  static constexpr const char* name = "limit";
  static std::string version() { return "none"; }

  class memory {
   public:
    explicit memory(std::span<std::byte> buffer) : halves_(buffer) {}
    template <class T>
    array_allocator<T, two_halves> of() {
      return array_allocator<T, two_halves>(halves_);
    }

   private:
    two_halves halves_;
  };
};

struct limit {
  static constexpr const char* name = "limit";
  static std::string version() { return "none"; }

  class memory {
   public:
    explicit memory(std::span<std::byte> buffer) : array_(buffer) {}
    template <class T>
    array_allocator<T> of() {
      return array_allocator<T>(array_);
    }

   private:
    counted_array array_;
  };

  class objects {
   public:
    explicit objects(std::span<std::byte> buffer) : array_(buffer) {}
    template <class T>
    [[gnu::always_inline]] T* make(std::uint32_t number) {
      return ::new (array_.next(sizeof(T), alignof(T))) T(number);
    }
    /// Destroys the objects in a loop, since they lie side by side.
    template <class T>
    void end(std::span<T*> all) {
      if constexpr (!std::is_trivially_destructible_v<T>)
        for (T* each = all.front() + all.size(); each != all.front();) std::destroy_at(--each);
      array_.restart();
    }

   private:
    counted_array array_;
  };
};

}  // namespace bench
