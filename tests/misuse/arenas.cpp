// One misuse of an arena or a scope in one process, which must abort: arenas CASE.
#include <cstdio>
#include <memory>
#include <string_view>

#include "heapsmith/concurrent_arena.hpp"
#include "heapsmith/scope.hpp"

namespace {

using heapsmith::arena;
using heapsmith::scope;

void* volatile escaped;

void use(void* p) {
  escaped = p;
}

/// Prints the address of the arena that is about to be misused. The message names it.
void announce(const arena<>& a) {
  std::printf("%p\n", static_cast<const void*>(&a));
  std::fflush(stdout);
}

void arena_under_scope() {
  arena a;
  announce(a);
  scope frame(a, "frame");
  use(a.allocate(1));
}

void parent_under_child() {
  arena a;
  scope frame(a, "frame");
  auto level = frame.child("level");
  frame.make<int>(1);
}

void parent_makes_object_with_destructor() {
  arena a;
  scope frame(a, "frame");
  frame.make<std::unique_ptr<int>>();
  auto level = frame.child("level");
  frame.make<std::unique_ptr<int>>();
}

void parent_tries_to_make() {
  arena a;
  scope frame(a, "frame");
  auto level = frame.child("level");
  static_cast<void>(frame.try_make<int>(1));
}

void grandparent() {
  arena a;
  scope frame(a, "frame");
  auto level = frame.child("level");
  auto room = level.child("room");
  frame.make_array<char>(100'000);
}

void siblings_on_arena() {
  arena a;
  announce(a);
  scope first(a, "first");
  scope second(a, "second");
}

void siblings_on_scope() {
  arena a;
  scope frame(a, "frame");
  auto first = frame.child("first");
  auto second = frame.child("second");
}

void reset_under_scope() {
  arena a;
  announce(a);
  scope frame(a, "frame");
  a.reset();
}

void release_under_scope() {
  arena a;
  announce(a);
  scope frame(a, "frame");
  a.release();
}

void rewind_under_scope() {
  arena a;
  announce(a);
  const heapsmith::arena_checkpoint start = a.checkpoint();
  scope frame(a, "frame");
  a.rewind(start);
}

void checkpoint_under_scope() {
  arena a;
  announce(a);
  scope frame(a, "frame");
  static_cast<void>(a.checkpoint());
}

void scope_reset_under_child() {
  arena a;
  scope frame(a, "frame");
  auto level = frame.child("level");
  frame.reset();
}

void closed_out_of_order() {
  arena a;
  auto frame = std::make_unique<scope<>>(a, "frame");
  auto level = frame->child("level");
  frame.reset();
}

void arena_ends_under_scope() {
  auto a = std::make_unique<arena<>>();
  announce(*a);
  scope frame(*a, "frame");
  a.reset();
}

void stale_checkpoint() {
  arena a;
  use(a.allocate(100));
  const heapsmith::arena_checkpoint late = a.checkpoint();
  a.release();
  use(a.allocate(10));
  announce(a);
  a.rewind(late);
}

void checkpoint_ahead() {
  arena a;
  const heapsmith::arena_checkpoint early = a.checkpoint();
  use(a.allocate(100));
  const heapsmith::arena_checkpoint late = a.checkpoint();
  a.rewind(early);
  announce(a);
  a.rewind(late);
}

void foreign_checkpoint() {
  arena a, other;
  use(a.allocate(1));
  use(other.allocate(1));
  announce(a);
  a.rewind(other.checkpoint());
}

// Only tools see these: the memory belongs to the arena, and no user has it any more.
void read_after_rewind() {
  arena a;
  const heapsmith::arena_checkpoint start = a.checkpoint();
  auto* p = static_cast<volatile char*>(a.allocate(100, 1));
  a.rewind(start);
  use(reinterpret_cast<void*>(static_cast<std::size_t>(p[50])));
}

void read_after_scope() {
  arena a;
  a.reserve(1000);
  volatile int* dangling = nullptr;
  {
    scope frame(a);
    dangling = frame.make_array<int>(20);
  }
  use(reinterpret_cast<void*>(static_cast<std::size_t>(dangling[3])));
}

void read_after_reset() {
  arena a;
  auto* p = static_cast<volatile char*>(a.allocate(100, 1));
  a.reset();
  use(reinterpret_cast<void*>(static_cast<std::size_t>(p[50])));
}

void read_beyond_the_last_block() {
  arena a;
  auto* p = static_cast<volatile char*>(a.allocate(64, 64));
  use(reinterpret_cast<void*>(static_cast<std::size_t>(p[64])));
}

void read_after_deallocate_concurrent() {
  heapsmith::concurrent_arena a;
  auto* p = static_cast<volatile char*>(a.allocate(64, 64));
  a.deallocate(const_cast<char*>(p), 64);
  use(reinterpret_cast<void*>(static_cast<std::size_t>(p[50])));
}

void read_after_share_grew() {
  heapsmith::concurrent_arena a;
  auto* p = static_cast<volatile char*>(a.allocate(64, 64));
  use(a.allocate(64));
  a.deallocate(const_cast<char*>(p), 64);
  for (int i = 0; i < 40; ++i) use(a.allocate(1000));
  use(reinterpret_cast<void*>(static_cast<std::size_t>(p[50])));
}

struct named_case {
  std::string_view name;
  void (*run)();
};
#define CASE(name) {#name, name}
constexpr named_case cases[] = {
    CASE(arena_under_scope),
    CASE(parent_under_child),
    CASE(parent_makes_object_with_destructor),
    CASE(parent_tries_to_make),
    CASE(grandparent),
    CASE(siblings_on_arena),
    CASE(siblings_on_scope),
    CASE(reset_under_scope),
    CASE(release_under_scope),
    CASE(rewind_under_scope),
    CASE(checkpoint_under_scope),
    CASE(scope_reset_under_child),
    CASE(closed_out_of_order),
    CASE(arena_ends_under_scope),
    CASE(stale_checkpoint),
    CASE(checkpoint_ahead),
    CASE(foreign_checkpoint),
    CASE(read_after_rewind),
    CASE(read_after_scope),
    CASE(read_after_reset),
    CASE(read_beyond_the_last_block),
    CASE(read_after_deallocate_concurrent),
    CASE(read_after_share_grew),
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const named_case& c : cases)
    if (c.name == argv[1]) return c.run(), std::puts("went on"), 0;
  return 2;
}
