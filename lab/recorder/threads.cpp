// pthread_create: passes the call on, and records which thread started which, and when. A thread
// that allocates late has its allocator's memory from its start on.
#include "threads.hpp"

#include <dlfcn.h>

#include "record/calls.hpp"

using namespace heapsmith;
using namespace heapsmith::recorder;

namespace {

using function = void* (*)(void*);

/// Tells a new thread its function and its number. It is in use from the call to the first step of
/// the thread.
struct birth {
  atomic<bool> is_used;
  function run;
  void* argument;
  std::uint32_t start;
  std::size_t stack_bytes, guard_bytes;
};
constexpr unsigned most_births = 256, most_looks = 8;
constinit birth births[most_births] = {};
constinit atomic<unsigned> next_birth{0};

/// Returns: a place that is free, or null after most_looks looks.
birth* take_birth() {
  for (unsigned i = 0; i < most_looks; ++i) {
    birth& b = births[next_birth.fetch_add(1, relaxed) % most_births];  // relaxed: any will do
    // acquire pairs with run(): the last user has read the place.
    if (!b.is_used.exchange(true, acquire)) return &b;
  }
  return nullptr;
}

void* run(void* place) {
  auto& b = *static_cast<birth*>(place);
  const function f = b.run;
  void* const argument = b.argument;
  here.start = b.start;
  here.stack = stack_of_this_thread(b.stack_bytes, b.guard_bytes);
  b.is_used.store(false, release);  // pairs with take_birth()
  return f(argument);
}

/// Effects: notes the sizes that the new thread's stack will have.
void note_stack(birth& b, const pthread_attr_t* attributes) {
  pthread_attr_t usual;
  b.stack_bytes = b.guard_bytes = 0;
  if (attributes == nullptr && pthread_attr_init(&usual) != 0) return;
  const pthread_attr_t* const asked = attributes != nullptr ? attributes : &usual;
  if (pthread_attr_getstacksize(asked, &b.stack_bytes) != 0 ||
      pthread_attr_getguardsize(asked, &b.guard_bytes) != 0)
    b.stack_bytes = 0;
  if (attributes == nullptr) pthread_attr_destroy(&usual);
}

constinit atomic<creator> next_create{nullptr};

creator find_next() {
  creator f = next_create.load(relaxed);  // relaxed: all threads find the same
  if (f == nullptr) {
    f = reinterpret_cast<creator>(dlsym(RTLD_NEXT, "pthread_create"));
    next_create.store(f, relaxed);
  }
  return f;
}

}  // namespace

void recorder::use_next_creator(creator next) {
  next_create.store(next, relaxed);  // relaxed: as in find_next()
}

extern "C" __attribute__((visibility("default"), used)) int
pthread_create(pthread_t* to, const pthread_attr_t* attributes, function f,
               void* argument) noexcept {
  const creator create = find_next();
  const std::uint32_t start = is_recorded(here) ? record_start() : 0;
  birth* const b = start == 0 ? nullptr : take_birth();
  if (b == nullptr) return create(to, attributes, f, argument);
  b->run = f;
  b->argument = argument;
  b->start = start;
  note_stack(*b, attributes);
  const int error = create(to, attributes, run, b);
  if (error != 0) b->is_used.store(false, release);  // as in run()
  return error;
}
