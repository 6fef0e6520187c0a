// Allocates in ways for which there are better ones, and in one that costs next to nothing.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

unsigned temporary(unsigned n) {
  const std::size_t bytes = 8 + n % 50;
  auto* text = static_cast<unsigned char*>(std::malloc(bytes));  // ends at once
  std::memset(text, static_cast<int>(n), bytes);
  asm volatile("" : "+r"(text) : : "memory");
  const unsigned sum = text[bytes / 2];
  std::free(text);
  return sum;
}

struct node {
  node* next;
  unsigned value;
};

unsigned together(unsigned count) {
  node* first = nullptr;
  node** end = &first;
  for (unsigned n = 0; n < count; ++n) {
    auto* added = static_cast<node*>(std::malloc(sizeof(node)));  // end together
    *added = {nullptr, n};
    *end = added;
    end = &added->next;
  }
  unsigned sum = 0;
  while (first != nullptr) {
    sum += first->value;
    node* const next = first->next;
    std::free(first);
    first = next;
  }
  return sum;
}

unsigned nested(unsigned levels) {
  unsigned* blocks[3];
  for (unsigned n = 0; n < 3; ++n) {
    blocks[n] = static_cast<unsigned*>(std::malloc(1100 + 40 * n + levels));  // end newest first
    blocks[n][0] = levels;
  }
  unsigned sum = levels == 0 ? 1 : nested(levels - 1) + nested(levels - 1);
  for (unsigned n = 3; n != 0; --n) {
    sum += blocks[n - 1][0];
    std::free(blocks[n - 1]);
  }
  return sum;
}

/// The blocks of a document are replaced many times. Those that are left end at once.
unsigned replaced(unsigned count) {
  unsigned* blocks[500] = {};
  unsigned sum = 0;
  for (unsigned n = 0; n < count; ++n) {
    unsigned*& block = blocks[n * 7919 % 500];
    if (block != nullptr) sum += *block;
    std::free(block);
    block = static_cast<unsigned*>(std::malloc(600 + n % 997));  // replaced, then end together
    *block = n;
  }
  for (unsigned* each : blocks) std::free(each);
  return sum;
}

unsigned computed(unsigned rounds) {
  unsigned x = 1;
  for (unsigned n = 0; n < rounds; ++n) {
    x = x * 1664525 + 1013904223;
    if (n % 1048576 == 0) x += temporary(n);
  }
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  unsigned sum = 0;
  if (what == "temporary")
    for (unsigned n = 0; n < 300000; ++n) sum += temporary(n);
  if (what == "together")
    for (unsigned n = 0; n < 300; ++n) sum += together(1000);
  if (what == "nested")
    for (unsigned n = 0; n < 40; ++n) sum += nested(10);
  if (what == "replaced")
    for (unsigned n = 0; n < 200; ++n) sum += replaced(1500);
  if (what == "computed") sum = computed(200000000);
  std::printf("%u\n", sum);
}
