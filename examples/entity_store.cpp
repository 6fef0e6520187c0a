// An entity-component store: components in columns, and handles that detect dead entities.
#include <cstdio>
#include <numeric>
#include <vector>

#include "heapsmith/soa_pool.hpp"

namespace {

struct entity {
  float x, y;
  float speed_x, speed_y;
  int health;
};
enum component { x, y, speed_x, speed_y, health };

using store = heapsmith::soa_pool<entity, heapsmith::policy::with_handles>;
using name = heapsmith::handle<entity>;

/// Reads and writes four columns from end to end and never loads health. The columns are sparse:
/// dead slots lie in them and hold valid numbers, so the loop needs no check.
void move_all(store& entities, float seconds) {
  const auto xs = entities.column<x>();
  const auto ys = entities.column<y>();
  const auto speeds_x = entities.column<speed_x>();
  const auto speeds_y = entities.column<speed_y>();
  for (std::size_t i = 0; i < xs.size(); ++i) {
    xs[i] += speeds_x[i] * seconds;
    ys[i] += speeds_y[i] * seconds;
  }
}

/// A missile stores the handle of its target, and so finds out whether the target still exists.
struct missile {
  name target;
  int damage;
};

}  // namespace

int main() {
  store entities;
  std::vector<name> names;
  for (int i = 0; i < 1000; ++i)
    names.push_back(entities.emplace_handle(entity{0, 0, static_cast<float>(i % 10), 1, 100}));

  std::vector<missile> missiles;
  for (std::size_t i = 0; i < names.size(); i += 2) missiles.push_back({names[i], 60});
  for (std::size_t i = 0; i < names.size(); i += 4) missiles.push_back({names[i], 60});
  for (std::size_t i = 0; i < names.size(); i += 8) missiles.push_back({names[i], 60});

  int missed = 0;
  for (const auto& [target, damage] : missiles) {
    if (!entities.contains(target)) {
      ++missed;
      continue;
    }
    int& left = entities.get<health>(target);
    left -= damage;
    if (left <= 0) entities.erase(target);
  }

  // New entities reuse the slots of dead ones, and old handles do not find them.
  for (int i = 0; i < 100; ++i) entities.emplace_handle(entity{5, 5, 0, 0, 1});
  for (int frame = 0; frame < 60; ++frame) move_all(entities, 1.0F / 64);

  int known = 0, total = 0;
  for (const name n : names) known += entities.contains(n);
  for (const auto [px, py, sx, sy, h] : entities) total += h;
  std::printf("%zu entities, %d of the first 1000, health %d, %d missiles missed\n",
              entities.size(), known, total, missed);
  return entities.check();
}
