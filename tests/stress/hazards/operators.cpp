// operator new and delete in every form: failure, new_handler, exceptions, alignment.
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

#include "hazard.h"

namespace {

volatile std::size_t impossible = PTRDIFF_MAX;  // the compiler must not know

template <class Call>
bool throws_bad_alloc(Call call) {
  try {
    call();
  } catch (const std::bad_alloc&) {
    return true;
  }
  return false;
}

int handled;

void handler_that_gives_up() {
  if (++handled == 3) std::set_new_handler(nullptr);
}

void handler_that_throws() {
  throw std::runtime_error("no room");
}

void failures() {
  const std::align_val_t a{256};
  REQUIRE(throws_bad_alloc([] { ::operator delete(::operator new(impossible)); }));
  REQUIRE(throws_bad_alloc([] { ::operator delete[](::operator new[](impossible)); }));
  REQUIRE(throws_bad_alloc([&] { ::operator delete(::operator new(impossible, a), a); }));
  REQUIRE(throws_bad_alloc([&] { ::operator delete[](::operator new[](impossible, a), a); }));
  REQUIRE(::operator new(impossible, std::nothrow) == nullptr);
  REQUIRE(::operator new[](impossible, std::nothrow) == nullptr);
  REQUIRE(::operator new(impossible, a, std::nothrow) == nullptr);
  REQUIRE(::operator new[](impossible, a, std::nothrow) == nullptr);
}

void handlers() {
  handled = 0;
  std::set_new_handler(handler_that_gives_up);
  REQUIRE(throws_bad_alloc([] { ::operator delete(::operator new(impossible)); }));
  REQUIRE(handled == 3);
  handled = 0;
  std::set_new_handler(handler_that_gives_up);
  REQUIRE(::operator new(impossible, std::nothrow) == nullptr);
  REQUIRE(handled == 3);

  std::set_new_handler(handler_that_throws);
  bool passed = false;
  try {
    std::string local(1000, 'x');  // has a destructor to run on the way
    ::operator delete(::operator new(impossible));
  } catch (const std::runtime_error& e) {
    passed = std::string(e.what()) == "no room";
  }
  REQUIRE(passed);
  // The nothrow forms turn the handler's bad_alloc into null; see below for its other exceptions.
  std::set_new_handler([] { throw std::bad_alloc(); });
  REQUIRE(::operator new(impossible, std::nothrow) == nullptr);
  std::set_new_handler(nullptr);
}

struct throws_when_made {
  char bytes[5000];
  throws_when_made() { throw std::logic_error("unfit"); }
};

void constructors_that_throw() {
  for (int i = 0; i < 1000; ++i) {
    try {
      delete new throws_when_made;
      REQUIRE(false);
    } catch (const std::logic_error&) {
    }
  }
}

void every_form() {
  for (std::size_t n = 0; n < 200000; n += n / 3 + 1) {
    const std::align_val_t a{std::size_t{32} << n % 9};
    const auto aligned = [&](void* p) {
      REQUIRE(reinterpret_cast<std::uintptr_t>(p) % static_cast<std::size_t>(a) == 0);
      return memset(p, 1, n);
    };
    ::operator delete(memset(::operator new(n), 1, n));
    ::operator delete(memset(::operator new(n), 1, n), n);
    ::operator delete[](memset(::operator new[](n), 1, n), n);
    ::operator delete(memset(::operator new(n, std::nothrow), 1, n), std::nothrow);
    ::operator delete[](memset(::operator new[](n, std::nothrow), 1, n), std::nothrow);
    ::operator delete(aligned(::operator new(n, a)), a);
    ::operator delete(aligned(::operator new(n, a)), n, a);
    ::operator delete[](aligned(::operator new[](n, a)), n, a);
    ::operator delete(aligned(::operator new(n, a, std::nothrow)), a, std::nothrow);
    ::operator delete[](aligned(::operator new[](n, a, std::nothrow)), a, std::nothrow);
  }
}

}  // namespace

int main() {
  every_form();
  failures();
  handlers();
  constructors_that_throw();
  every_form();
  return 0;
}
