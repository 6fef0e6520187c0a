// A game loop: scratch memory that lasts a frame, entities in columns, and missiles that name their
// targets by handles, which survive a saved game.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heapsmith/arena_containers.hpp"
#include "heapsmith/scope.hpp"
#include "heapsmith/soa_pool.hpp"
#include "measured.hpp"

namespace {

/// Fixed-point numbers, so that a saved game replays exactly.
struct entity {
  std::int32_t x, y, speed_x, speed_y;
  std::int32_t health;
};
enum component { x, y, speed_x, speed_y, health };
constexpr std::int32_t edge = 1 << 20;

// To copy: the world in a pool in columns.
class heapsmith_form {
 public:
  using name = heapsmith::handle<entity>;

  name spawn(const entity& e) { return entities_.emplace_handle(e); }

  /// Returns: false if the target no longer exists. Its generation shows that a handle is stale.
  bool hit(name target, std::int32_t damage) {
    if (!entities_.contains(target)) return false;
    if ((entities_.get<health>(target) -= damage) <= 0) entities_.erase(target);
    return true;
  }

  /// Loads four columns and never `health`. Cells of dead entities hold valid numbers, so the loop
  /// needs no check.
  void move_all() {
    const std::span xs = entities_.column<x>(), ys = entities_.column<y>();
    const std::span speeds_x = entities_.column<speed_x>(), speeds_y = entities_.column<speed_y>();
    for (std::size_t i = 0; i < xs.size(); ++i) {
      xs[i] = (xs[i] + speeds_x[i]) & (edge - 1);
      ys[i] = (ys[i] + speeds_y[i]) & (edge - 1);
    }
  }

  /// The frame's scratch memory: the list lies in a scope, which ends with the frame. The next
  /// frame uses the same memory again.
  std::uint64_t draw_visible() {
    heapsmith::scope frame(memory_, "frame");
    heapsmith::arena_vector<std::int32_t, heapsmith::scope<>> visible(frame);
    visible.reserve(entities_.size());
    const std::span xs = entities_.column<x>(), ys = entities_.column<y>();
    const std::span healths = entities_.column<health>();  // a dead entity keeps its last health
    for (std::size_t i = 0; i < xs.size(); ++i)
      if (xs[i] < edge / 4 && healths[i] > 0) visible.push_back(ys[i]);
    std::uint64_t sum = visible.size();
    for (const std::int32_t each : visible) sum += static_cast<std::uint32_t>(each);
    return sum;
  }

  std::size_t size() const { return entities_.size(); }

  std::vector<std::byte> save() const {
    std::vector<std::byte> image(entities_.image_bytes());
    entities_.save(image);
    return image;
  }
  bool load(const std::vector<std::byte>& image) { return entities_.load(image); }

  /// Returns: the handle after load(), which makes another pool of it. A handle that was stale
  /// finds nothing, as before.
  name renamed(name before) const { return heapsmith::rebind(entities_, before); }

 private:
  heapsmith::arena<> memory_;
  heapsmith::soa_pool<entity, heapsmith::policy::with_handles> entities_;
};

// The same with the standard library: structures in a vector, with generations kept by hand.
class std_form {
 public:
  struct name {
    std::uint32_t index = 0, generation = 0;
  };

  name spawn(const entity& e) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.push_back({});
    }
    const std::uint32_t i = free_.back();
    free_.pop_back();
    slots_[i].body = e;
    ++slots_[i].generation;  // odd: alive
    ++live_;
    return {i, slots_[i].generation};
  }

  bool hit(name target, std::int32_t damage) {
    slot& s = slots_[target.index];
    if (s.generation != target.generation) return false;
    if ((s.body.health -= damage) <= 0) {
      ++s.generation;
      --live_;
      free_.push_back(target.index);
    }
    return true;
  }

  void move_all() {
    for (slot& s : slots_) {
      s.body.x = (s.body.x + s.body.speed_x) & (edge - 1);
      s.body.y = (s.body.y + s.body.speed_y) & (edge - 1);
    }
  }

  std::uint64_t draw_visible() const {
    std::vector<std::int32_t> visible;
    visible.reserve(live_);
    for (const slot& s : slots_)
      if (s.generation % 2 != 0 && s.body.x < edge / 4) visible.push_back(s.body.y);
    std::uint64_t sum = visible.size();
    for (const std::int32_t each : visible) sum += static_cast<std::uint32_t>(each);
    return sum;
  }

  std::size_t size() const { return live_; }

  std::vector<std::byte> save() const {
    const auto bytes = std::as_bytes(std::span(slots_));
    return {bytes.begin(), bytes.end()};
  }
  bool load(const std::vector<std::byte>& image) {
    if (image.size() % sizeof(slot) != 0) return false;
    const auto* const from = reinterpret_cast<const slot*>(image.data());
    slots_.assign(from, from + image.size() / sizeof(slot));
    free_.clear();
    for (std::size_t i = 0; i < slots_.size(); ++i)
      if (slots_[i].generation % 2 == 0) free_.push_back(static_cast<std::uint32_t>(i));
    live_ = slots_.size() - free_.size();
    return true;
  }
  static name renamed(name before) { return before; }

 private:
  struct slot {
    entity body{};
    std::uint32_t generation = 0;
  };
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t live_ = 0;
};

/// Plays some frames, and saves and loads the game every 256 frames.
template <class World>
example::results play(std::size_t frames) {
  constexpr std::uint32_t count = 20000;
  World world;
  std::vector<typename World::name> targets;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto n = static_cast<std::int32_t>(i);
    targets.push_back(world.spawn({n * 53 % edge, n * 97 % edge, n % 31, n % 17, 100}));
  }

  std::uint64_t drawn = 0, missed = 0, loaded = 0;
  std::uint32_t random = 1;
  for (std::size_t frame = 1; frame <= frames; ++frame) {
    world.move_all();
    for (int shot = 0; shot < 200; ++shot) {
      random = random * 1664525 + 1013904223;
      auto& target = targets[(random >> 8) % count];
      if (world.hit(target, 60)) continue;
      ++missed;  // the entity has died: another one takes its place, perhaps in its slot
      const auto n = static_cast<std::int32_t>(random >> 12);
      if (missed % 2 == 0) target = world.spawn({n % edge, n % 1000, n % 31, n % 17, 100});
    }
    drawn += world.draw_visible();
    if (frame % 256 != 0) continue;
    loaded += world.load(world.save());
    for (auto& target : targets) target = world.renamed(target);
  }
  return {{"entities", world.size()},
          {"missiles that missed", missed},
          {"games loaded", loaded},
          {"checksum of the frames", drawn}};
}

}  // namespace

int main(int argc, char** argv) {
  return example::main<play<std_form>, play<heapsmith_form>, example::sizes{4000, 260}>("game-loop",
                                                                                        argc, argv);
}
