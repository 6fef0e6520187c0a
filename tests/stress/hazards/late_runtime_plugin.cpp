// Runs out of memory in each form of operator new, in a plug-in whose program has no C++ runtime.
#include <cstdint>
#include <new>
#include <stdexcept>
#include <vector>

namespace {

volatile std::size_t impossible = PTRDIFF_MAX / 2;
void* volatile kept;
int handled;

template <class Error, class Step>
bool throws(Step step) {
  try {
    step();
  } catch (const Error&) {
    return true;
  }
  return false;
}

void gives_up() {
  if (++handled % 2 == 0) std::set_new_handler(nullptr);
}

const char* without_handler() {
  const std::align_val_t a{256};
  const std::nothrow_t& n = std::nothrow;
  if (!throws<std::bad_alloc>([] { kept = ::operator new(impossible); })) return "new";
  if (!throws<std::bad_alloc>([] { kept = ::operator new[](impossible); })) return "new[]";
  if (!throws<std::bad_alloc>([a] { kept = ::operator new(impossible, a); })) return "aligned";
  if (!throws<std::bad_alloc>([a] { kept = ::operator new[](impossible, a); })) return "aligned[]";
  if (!throws<std::bad_alloc>([] { std::vector<char> v(impossible); })) return "a vector";
  if (::operator new(impossible, n) != nullptr) return "nothrow";
  if (::operator new[](impossible, n) != nullptr) return "nothrow[]";
  if (::operator new(impossible, a, n) != nullptr) return "aligned nothrow";
  if (::operator new[](impossible, a, n) != nullptr) return "aligned nothrow[]";
  return nullptr;
}

const char* with_handler() {
  handled = 0;
  std::set_new_handler(gives_up);
  if (!throws<std::bad_alloc>([] { kept = new char[impossible]; })) return "a handler gives up";
  if (handled != 2) return "calls of a handler";
  std::set_new_handler(gives_up);
  if (new (std::nothrow) char[impossible] != nullptr || handled != 4) return "a handler, nothrow";
  std::set_new_handler([] { throw std::bad_alloc(); });
  if (new (std::nothrow) char[impossible] != nullptr) return "a handler that throws, nothrow";
  std::set_new_handler([] { throw std::runtime_error("no room"); });
  if (!throws<std::runtime_error>([] { kept = new char[impossible]; })) return "its exception";
  std::set_new_handler(nullptr);
  return nullptr;
}

}  // namespace

extern "C" const char* failed_step() {
  const char* const failed = without_handler();
  return failed != nullptr ? failed : with_handler();
}
