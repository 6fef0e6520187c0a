// A program with some operators of its own, which put a header before each block. The default forms
// of all others call them. A macro says which they are.
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "hazard.h"

namespace {

constexpr std::size_t header = 64;
constexpr std::size_t mark = 0x1234567;
int made, ended, made_arrays, ended_arrays, made_aligned, ended_aligned;

void* make(std::size_t n, std::size_t align, int& count) {
  ++count;
  void* p = std::aligned_alloc(align, (n + header + align - 1) / align * align);
  if (p == nullptr) throw std::bad_alloc();
  memcpy(p, &mark, sizeof mark);
  return static_cast<char*>(p) + header;
}

void end(void* p, int& count) {
  if (p == nullptr) return;
  ++count;
  char* const start = static_cast<char*>(p) - header;
  REQUIRE(memcmp(start, &mark, sizeof mark) == 0);
  std::free(start);
}

}  // namespace

void* operator new(std::size_t n) {
  return make(n, 16, made);
}
void operator delete(void* p) noexcept {
  end(p, ended);
}
#ifdef HAZARD_ARRAYS
void* operator new[](std::size_t n) {
  return make(n, 16, made_arrays);
}
void operator delete[](void* p) noexcept {
  end(p, ended_arrays);
}
#endif
#ifdef HAZARD_ALIGNED
void* operator new(std::size_t n, std::align_val_t) {
  return make(n, 64, made_aligned);
}
void operator delete(void* p, std::align_val_t) noexcept {
  end(p, ended_aligned);
}
#endif

namespace {

struct node {
  long a[3];
  virtual ~node() = default;
};
struct alignas(64) wide {
  char c[100];
  ~wide() { c[0] = 0; }
};
volatile std::size_t impossible = PTRDIFF_MAX - 1000;

/// Requires that a step has changed the counts just so.
template <class Step>
void counts(Step step, int plain, int arrays, int aligned) {
#ifndef HAZARD_ARRAYS
  plain += arrays, arrays = 0;
#endif
#ifndef HAZARD_ALIGNED
  aligned = 0;
#endif
  made = ended = made_arrays = ended_arrays = made_aligned = ended_aligned = 0;
  step();
  REQUIRE(made == plain && ended == plain);
  REQUIRE(made_arrays == arrays && ended_arrays == arrays);
  REQUIRE(made_aligned == aligned && ended_aligned == aligned);
}

int handled;

}  // namespace

int main() {
  const std::align_val_t a{64};
  counts([] { delete new node; }, 1, 0, 0);  // a sized delete
  counts([] { delete[] new node[5]; }, 0, 1, 0);
  counts([] { delete[] new int[100]; }, 0, 1, 0);
  counts([] { delete new (std::nothrow) node; }, 1, 0, 0);
  counts([] { delete[] new (std::nothrow) node[3]; }, 0, 1, 0);
  counts([] { ::operator delete(::operator new(40), 40); }, 1, 0, 0);
  counts([] { ::operator delete[](::operator new[](40), 40); }, 0, 1, 0);
  counts([] { ::operator delete(::operator new(40), std::nothrow); }, 1, 0, 0);
  counts([] { ::operator delete[](::operator new[](40), std::nothrow); }, 0, 1, 0);
  counts(
      [] {
        std::vector<int> v(1000);
        std::string s(100, 'x');
      },
      2, 0, 0);
  counts([] { delete new wide; }, 0, 0, 1);
  counts([] { delete[] new wide[2]; }, 0, 0, 1);
  counts([] { delete new (std::nothrow) wide; }, 0, 0, 1);
  counts([] { delete[] new (std::nothrow) wide[2]; }, 0, 0, 1);
  counts([a] { ::operator delete(::operator new(40, a), a, std::nothrow); }, 0, 0, 1);
  counts([a] { ::operator delete[](::operator new[](40, a), 40, a); }, 0, 0, 1);
  REQUIRE(::operator new(impossible, std::nothrow) == nullptr);
  REQUIRE(::operator new[](impossible, std::nothrow) == nullptr);
  REQUIRE(::operator new(impossible, a, std::nothrow) == nullptr);
  std::set_new_handler([] { ++handled, std::set_new_handler(nullptr); });
  // The program's own operator calls no handler.
  REQUIRE(::operator new(impossible, std::nothrow) == nullptr&& handled == 0);
  return 0;
}
