// What a case is written with: explore a body, run threads in it, require, plain data, lives.
//
// A body is run once per execution, as thread 0. It constructs the objects of the case on its own
// stack, calls run() with the threads and checks what they left behind. Rules:
//  - everything threads share is atomic<T>, plain<T> or reached through plain_load/plain_store;
//  - ordinary variables may be written by one thread only and read after run();
//  - nothing on the stack of a body or thread owns memory: an execution may end anywhere.
#pragma once

#include "checker/engine.hpp"

#include <bit>

namespace heapsmith::model {

inline result explore(const std::function<void()>& body, const options& o = {}) {
  return engine(body, o).explore();
}

/// Runs the functions as threads 1, 2, … and returns when all have returned.
template <class... F>
void run(F&&... functions) {
  const engine::thread_function calls[] = {
      [](void* f) { (*static_cast<std::remove_reference_t<F>*>(f))(); }...};
  void* const arguments[] = {const_cast<void*>(static_cast<const void*>(&functions))...};
  engine::current()->run(calls, arguments, sizeof...(functions));
}

inline void require(bool holds, const char* what) {
  if (!holds) engine::current()->fail(std::string("required: ") + what);
}

/// Names an atomic object in traces.
inline void name(const void* object, const char* name) { engine::current()->name(object, name); }

/// The life of anything that must end exactly once, such as a block in use: two lives at once, a
/// second end, a use after the end and a life that never ends are failures.
inline void begin_life(const void* p, const char* name) {
  engine::current()->begin_life(p, name);
}
inline void end_life(const void* p) { engine::current()->end_life(p); }

/// Plain data that threads share: its accesses must be ordered.
template <class T>
class plain {
 public:
  plain(T value = {}) : value_(value) {}
  operator T() const {
    engine::current()->plain_read(this);
    return value_;
  }
  plain& operator=(T value) {
    engine::current()->plain_write(this);
    value_ = value;
    return *this;
  }

 private:
  T value_;
};

}  // namespace heapsmith::model
