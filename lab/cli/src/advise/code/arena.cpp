// An arena: blocks end all at once.
// [
#include <heapsmith/arena.hpp>
// ]

struct node {
  node* next;
  int value;
};

int main() {
  int sum = 0;
  // [
  heapsmith::arena memory;  // once
  // ]
  for (int round = 0; round < 3; ++round) {
    node* first = nullptr;
    for (int value = 0; value < 100; ++value) {
      // [
      node& made = memory.make<node>(first, value);  // instead of new; no delete
      // ...
      // ]
      first = &made;
    }
    for (const node* it = first; it != nullptr; it = it->next) sum += it->value;
    // [
    memory.reset();  // where all blocks end
    // ]
  }
  return sum == 3 * 4950 ? 0 : 1;
}
