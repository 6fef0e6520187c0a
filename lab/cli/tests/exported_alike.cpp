// Functions of equal names in files of equal names, whose calls alternate, for tests. With PART,
// the functions; else the rest of the program, which has two sites in one line.
#include <cstdlib>

#ifdef PART
static void* volatile kept;

template <int bytes>
[[gnu::noinline]] static void make() {
  kept = malloc(bytes);
  free(kept);
}

void PART() {
  make<100>();
  make<300>();
}
#else
void a();
void b();

int main() {
  void* volatile one = malloc(10), * volatile other = calloc(1, 20);
  for (int i = 0; i < 20'000; ++i) a(), b();
  free(one);
  return other == nullptr;
}
#endif
