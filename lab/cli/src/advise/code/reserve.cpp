// The final size at once.
#include <vector>

static unsigned use(std::size_t final_count) {
  std::vector<unsigned> list;
  // [
  list.reserve(final_count);  // before the first element
  // ]
  const std::size_t room = list.capacity();
  for (unsigned i = 0; i < final_count; ++i) list.push_back(i);
  return list.capacity() == room ? list.back() : 0;
}

int main() {
  return use(1000) == 999 ? 0 : 1;
}
