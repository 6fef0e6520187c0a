// A buffer of each thread that is used again.
#include <cstring>
#include <vector>

static std::size_t use(std::size_t n) {
  // [
  static thread_local std::vector<char> buffer;  // keeps its memory
  buffer.resize(n);
  // ]
  std::memset(buffer.data(), 'x', n);
  buffer[n - 1] = 0;
  return std::strlen(buffer.data());
}

int main() {
  return use(5000) == 4999 && use(10000) == 9999 ? 0 : 1;
}
