// A program with only the two basic operators of its own gets every other form's blocks from them.
// report: Fantom-foundation/Tosca#139, gperftools/gperftools#1569
// right: each form of new and delete ends in the program's two operators
// fails: not measured
// under: preload override recorder
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

static int made, ended;
static const std::size_t mark = 0xfeed;

void* operator new(std::size_t n) {
  char* p = static_cast<char*>(std::malloc(n + 16));
  if (p == nullptr) throw std::bad_alloc();
  std::memcpy(p, &mark, sizeof mark);
  ++made;
  return p + 16;
}
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wsized-deallocation"  // the default form is what is tested
#endif
void operator delete(void* p) noexcept {
  if (p == nullptr) return;
  char* const start = static_cast<char*>(p) - 16;
  if (std::memcmp(start, &mark, sizeof mark) != 0) std::puts("a block of another"), std::exit(1);
  ++ended;
  std::free(start);
}

struct node {
  long a[3];
  virtual ~node() {}
};

template <class Step>
static void counts(const char* what, int expected, Step step) {
  made = ended = 0;
  step();
  if (made == expected && ended == expected) return;
  std::printf("%s: made %d, ended %d of %d\n", what, made, ended, expected);
  std::exit(1);
}

int main() {
  counts("one", 1, [] { std::unique_ptr<node> p(new node); });
  counts("an array", 1, [] { std::unique_ptr<node[]> p(new node[5]); });
  counts("nothrow", 1, [] { std::unique_ptr<node> p(new (std::nothrow) node); });
  counts("containers", 2, [] {
    std::vector<int> v(1000);
    std::string s(100, 'x');
  });
  counts("shared", 1, [] { std::make_shared<node>(); });
  std::puts("ok");
}
