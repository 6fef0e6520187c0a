// A game's scratch memory: one block for the whole game, a scope for each frame, and a child scope
// for each part of a frame.
#include <cstdio>
#include <span>
#include <vector>

#include "heapsmith/inline_arena.hpp"
#include "heapsmith/scope.hpp"

namespace {

struct body {
  float x, speed;
};

struct contact {
  int first, second;
};

/// A list that lives as long as a scope. The scope runs its destructor.
class render_queue {
 public:
  explicit render_queue(int& submitted) : submitted_(submitted) {}
  ~render_queue() { submitted_ += pending_; }
  void draw() { ++pending_; }

 private:
  int& submitted_;
  int pending_ = 0;
};

/// Neighbours closer than `reach`. The result lives in the frame; scratch data lives in a child.
std::span<contact> find_contacts(heapsmith::scope<heapsmith::null_resource>& frame,
                                 std::span<const body> bodies, float reach) {
  std::size_t count = 0;
  const std::span<contact> found = frame.make_span<contact>(bodies.size());
  auto part = frame.child("broad phase");
  const std::span<float> positions = part.make_span<float>(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) positions[i] = bodies[i].x;
  for (std::size_t i = 1; i < positions.size(); ++i)
    if (positions[i] - positions[i - 1] < reach)
      found[count++] = {static_cast<int>(i - 1), static_cast<int>(i)};
  return found.first(count);
}

}  // namespace

int main() {
  std::vector<body> bodies;
  for (int i = 0; i < 100; ++i) bodies.push_back({static_cast<float>(i), i % 3 == 0 ? 0.5f : 0.0f});

  heapsmith::fixed_arena memory(16 * 1024);  // a frame that needs more throws std::bad_alloc
  int submitted = 0;
  std::size_t contacts = 0, most = 0;
  for (int frame_number = 0; frame_number < 60; ++frame_number) {
    heapsmith::scope frame(memory, "frame");
    render_queue& queue = frame.make<render_queue>(submitted);
    for (body& b : bodies) b.x += b.speed / 60;
    contacts += find_contacts(frame, bodies, 0.9f).size();
    for (std::size_t i = 0; i < bodies.size(); ++i) queue.draw();
    if (const std::size_t used = memory.stats().used_bytes; used > most) most = used;
  }
  std::printf("%d drawn, %zu contacts, at most %zu bytes a frame, %zu after the last\n", submitted,
              contacts, most, memory.stats().used_bytes);
}
