// One access of mallctl: what it reads and writes, under jemalloc's rules for lengths.
#pragma once

#include <errno.h>
#include <string.h>

#include <cstddef>

namespace heapsmith::jemalloc {

struct access {
  const std::size_t* number;  // those in the name, in its order
  void* old;
  std::size_t* old_length;
  const void* fresh;
  std::size_t fresh_length;

  bool reads() const { return old != nullptr && old_length != nullptr; }
  bool writes() const { return fresh != nullptr; }
};

/// Gives the caller a value. Of a length that does not fit, as much as there is room for, and
/// EINVAL.
template <class T>
int give(const access& a, T value) {
  if (!a.reads()) return 0;
  const auto* const from = static_cast<const void*>(&value);
  if (*a.old_length == sizeof value) {
    memcpy(a.old, from, sizeof value);
    return 0;
  }
  if (*a.old_length > sizeof value) *a.old_length = sizeof value;
  memcpy(a.old, from, *a.old_length);
  return EINVAL;
}

template <class T>
int read_only(const access& a, T value) {
  return a.fresh != nullptr || a.fresh_length != 0 ? EPERM : give(a, value);
}

/// Gives `value`, and lets `set` carry out what the caller writes. Nothing is set if the caller's
/// lengths are wrong.
template <class T, class Set>
int read_and_write(const access& a, T value, Set set) {
  if (a.writes() && a.fresh_length != sizeof value) return EINVAL;
  T wanted = value;
  if (a.writes()) memcpy(&wanted, a.fresh, sizeof wanted);  // `old` may be the same memory
  if (const int error = give(a, value)) return error;
  return a.writes() ? set(wanted) : 0;
}

/// For names that do something and have no value.
template <class Act>
int act(const access& a, Act perform) {
  if (a.old != nullptr || a.old_length != nullptr || a.fresh != nullptr || a.fresh_length != 0)
    return EPERM;
  return perform();
}

/// A name of mallctl, with # for a number, and how it answers.
struct control {
  const char* name;
  int (*answer)(const access& a);
};

}  // namespace heapsmith::jemalloc
