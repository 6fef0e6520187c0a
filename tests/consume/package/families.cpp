// A program of allocators that are headers alone, compiled with the flags that a target carries.
#include <heapsmith/arena.hpp>
#include <heapsmith/pool.hpp>

int main() {
  heapsmith::arena<> memory;
  const int& first = memory.make<int>(1);
  heapsmith::pool<int> numbers;
  const auto at = numbers.emplace(2);
  return first + numbers[at] == 3 ? 0 : 1;
}
