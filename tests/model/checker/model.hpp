// The interface for writing cases: explore a body, run threads in it, require, plain data, lives.
//
// A body is run once per execution, as thread 0. It constructs the objects of the case on its own
// stack, calls run() with the threads and checks what they left behind. Rules:
//  - everything threads share is atomic<T>, plain<T> or reached through plain_load/plain_store;
//  - ordinary variables may be written by one thread only and read after run();
//  - nothing on the stack of a body or thread owns memory: an execution may end anywhere.
#pragma once

#include "checker/engine.hpp"
#include "checker/plain.hpp"

#include <type_traits>

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
inline void name(const void* object, const char* name) {
  engine::current()->name(object, name);
}

/// Declares the relaxed atomics in an object's bytes to be hints, on which nothing may depend: they
/// read as anything, at no cost in states.
inline void hint(const void* object, std::size_t bytes) {
  engine::current()->hint(object, bytes);
}

/// Names the plain bytes of an object in messages.
inline void name_plain(const void* object, std::size_t bytes, const char* name) {
  engine::current()->name_plain(object, bytes, name);
}

/// The life of anything that must end exactly once, such as a block in use: two lives at once, a
/// second end, a use after the end and a life that never ends are failures.
inline void begin_life(const void* p, const char* name) {
  engine::current()->begin_life(p, name);
}
inline void end_life(const void* p) {
  engine::current()->end_life(p);
}

}  // namespace heapsmith::model
