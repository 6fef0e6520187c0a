// Makes one mistake with a block of one family. Arguments: the family, then past, after or unset.
#include <heapsmith/arena.hpp>
#include <heapsmith/heapsmith.h>
#include <heapsmith/inline_arena.hpp>
#include <heapsmith/pool.hpp>
#include <heapsmith/pool_resource.hpp>
#include <heapsmith/region.hpp>
#include <heapsmith/scope.hpp>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

constexpr std::size_t bytes = 96;

/// Makes the mistake. `end` ends the block.
template <class End>
int mistake(std::string_view which, volatile char* block, End end) {
  if (which == "past") block[bytes] = 1;
  if (which == "unset" && block[bytes / 2] == 1) std::puts("one");
  end();
  if (which == "after") block[bytes / 2] = 1;
  return 0;
}

template <class Resource>
int of_resource(std::string_view which, Resource& resource) {
  auto* block = static_cast<char*>(resource.allocate(bytes));
  return mistake(which, block, [&] { resource.deallocate(block, bytes); });
}

struct row {
  row() {}  // leaves the bytes unset
  char data[bytes];
};

int of_pool(std::string_view which) {
  heapsmith::pool<row> pool;
  const auto index = pool.emplace();
  return mistake(which, pool[index].data, [&] { pool.erase(index); });
}

int of_region(std::string_view which) {
  alignas(16) static unsigned char buffer[1 << 16];
  heapsmith::region region(buffer, sizeof buffer);
  auto* block = static_cast<char*>(region.allocate(bytes));
  return mistake(which, block, [&] { region.deallocate(block); });
}

int of_scope(std::string_view which) {
  heapsmith::arena parent;
  char* block = nullptr;
  {
    heapsmith::scope scope(parent);
    block = static_cast<char*>(scope.allocate(bytes));
    if (which != "after") return mistake(which, block, [] {});
  }
  return mistake(which, block, [] {});
}

int of_arena(std::string_view which) {
  heapsmith::arena arena;
  auto* block = static_cast<char*>(arena.allocate(bytes));
  return mistake(which, block, [&] { arena.reset(); });
}

}  // namespace

int main(int, char** arguments) {
  const std::string_view family = arguments[1];
  const std::string_view which = arguments[2];
  if (family == "arena") return of_arena(which);
  if (family == "scope") return of_scope(which);
  if (family == "pool") return of_pool(which);
  if (family == "region") return of_region(which);
  if (family == "pool_resource") {
    heapsmith::unsynchronized_pool<> pool;
    return of_resource(which, pool);
  }
  if (family == "malloc") {
    auto* block = static_cast<char*>(std::malloc(bytes));
    return mistake(which, block, [&] { std::free(block); });
  }
  if (family == "hs_malloc") {
    auto* block = static_cast<char*>(hs_malloc(bytes));
    return mistake(which, block, [&] { hs_free(block); });
  }
  return 99;
}
