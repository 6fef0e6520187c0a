// Plain data that threads share: as large as what it wraps, and every access is checked for races.
#pragma once

#include "checker/engine.hpp"

namespace heapsmith::model {

template <class T>
class plain {
 public:
  constexpr plain(T value = {}) : value_(value) {}
  plain(const plain& other) : value_(static_cast<T>(other)) {}
  plain& operator=(const plain& other) { return *this = static_cast<T>(other); }

  operator T() const {
    if (engine::current() != nullptr) engine::current()->plain_read(this);
    return value_;
  }
  T operator->() const { return *this; }  // for pointers
  plain& operator=(T value) {
    if (engine::current() != nullptr) engine::current()->plain_write(this);
    value_ = value;
    return *this;
  }
  T operator--() { return *this = static_cast<T>(*this) - 1; }
  T operator++() { return *this = static_cast<T>(*this) + 1; }
  plain& operator-=(T by) { return *this = static_cast<T>(*this) - by; }
  plain& operator+=(T by) { return *this = static_cast<T>(*this) + by; }

 private:
  T value_;
};

}  // namespace heapsmith::model
