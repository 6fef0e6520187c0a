// Searches the families for cliffs: patterns whose steps cost more, the more elements there are,
// and do not in the standard library.
//   growth-search [--many N] [--minutes M] [--seed S]   draws patterns, of N and of N / 10 elements
//   growth-search [--many N] --pattern TEXT             measures one, as it was printed
// Exit code: 0 if nothing was found, 1 after a finding.

#include <cstdio>
#include <cstring>

#include "growth/search/blocks.hpp"
#include "growth/search/planted.hpp"
#include "growth/search/rows.hpp"
#include "growth/search/trees.hpp"
#include "support/measure.hpp"

namespace bench::search {
namespace {

namespace policy = heapsmith::policy;

std::size_t many = 100'000;
std::size_t few() {
  return many / 10;
}
// From a tenth of the elements to all, a linear cost grows tenfold. One that does not depend on
// their number grows with the misses of caches, by up to three times.
constexpr double steep = 4, steeper_than_std = 2.5, slower_than_std = 2;
constexpr double most_seconds = 0.25, most_confirmed_seconds = 8;

template <class Subject>
std::unique_ptr<subject> make(const pattern& p, std::size_t n) {
  return std::make_unique<Subject>(p, n);
}

template <class Pool>
family pool_family(const char* name, bool two_ended) {
  using enum op;
  family f = {name,
              {add, add_back},
              {add, add_back, pop_back, erase_any, erase_old, erase_young, first, last},
              make<row_subject<pool_rows<Pool>>>,
              make<row_subject<list_rows>>};
  if (two_ended) {
    f.fills.push_back(add_front);
    f.steps.insert(f.steps.end(), {add_front, pop_front});
  }
  return f;
}

template <class Memory, class Standard = malloc_memory>
family block_family(const char* name) {
  using enum op;
  family f = {name,
              {add},
              {add, erase_any, erase_old, erase_young, add_large, add_aligned},
              make<block_subject<Memory>>,
              make<block_subject<Standard>>};
  if (Memory::is_bounded) f.steps.insert(f.steps.end(), {grow, fail, squeeze});
  return f;
}

std::vector<family> all_families() {
  using enum op;
  using heapsmith::pool;
  using row = numbered_row;
  return {
      pool_family<pool<row>>("pool", true),
      pool_family<pool<row, policy::with_handles>>("pool-handles", true),
      pool_family<pool<row, policy::stable>>("pool-stable", true),
      pool_family<pool<row, policy::stable, policy::with_handles>>("pool-stable-handles", true),
      pool_family<pool<row, policy::one_ended>>("pool-one-ended", false),
      pool_family<pool<row, policy::fixed>>("pool-fixed", true),
      pool_family<pool<row, policy::fixed, policy::ring>>("pool-ring", true),
      pool_family<heapsmith::soa_pool<row>>("columns", true),
      block_family<region_memory<heapsmith::region>>("region"),
      block_family<region_memory<heapsmith::concurrent_region>>("concurrent-region"),
      block_family<offset_memory>("offset-region"),
      block_family<resource_memory<heapsmith::unsynchronized_pool<>>,
                   resource_memory<std::pmr::unsynchronized_pool_resource>>("unsynchronized-pool"),
      block_family<resource_memory<heapsmith::synchronized_pool<>>,
                   resource_memory<std::pmr::synchronized_pool_resource>>("synchronized-pool"),
      {"set",
       {add, add_back, add_front},
       {add, add_back, add_front, pop_back, pop_front, erase_any, erase_old, erase_young, first,
        last, find, next},
       make<tree_subject<heapsmith::set<std::uint64_t>>>,
       make<tree_subject<std::set<std::uint64_t>>>},
      // The last one is not drawn.
      {"planted",
       {add_back},
       {pop_front, add_back},
       make<planted_subject>,
       make<row_subject<list_rows>>},
  };
}

// The time of a step, in nanoseconds, over as many cycles as elements: what is paid once for many
// steps is divided among them.
double time_a_step(std::unique_ptr<subject> (*made)(const pattern&, std::size_t), const pattern& p,
                   std::size_t n, double most) {
  const auto s = made(p, n);
  prepare(*s, p, n);
  stopwatch watch;
  std::size_t cycles = 0;
  const double begin = seconds_now();
  watch.start();
  for (; cycles < n && (cycles % 16 != 0 || seconds_now() - begin < most); ++cycles)
    for (const op o : p.cycle) s->take(o);
  watch.stop();
  expect(s->check(), p.text().c_str());
  return watch.take() * 1e9 / static_cast<double>(cycles * p.cycle.size());
}

double least_time(std::unique_ptr<subject> (*made)(const pattern&, std::size_t), const pattern& p,
                  std::size_t n, double most, int turns) {
  double least = time_a_step(made, p, n, most);
  while (--turns > 0) least = std::min(least, time_a_step(made, p, n, most));
  return least;
}

struct finding {
  double own_few, own_many, std_few, std_many;
  [[nodiscard]] double growth() const { return own_many / own_few; }
  [[nodiscard]] double ratio() const { return growth() / std::max(1.0, std_many / std_few); }
  [[nodiscard]] bool is_cliff() const {
    // A step of a few nanoseconds among few elements may take some cache misses among many.
    return growth() > steep && ratio() > steeper_than_std && own_many > 300 &&
           own_many > slower_than_std * std_many;
  }
};

finding measure(const family& f, const pattern& p, double most, int turns) {
  finding found = {};
  found.own_few = least_time(f.own, p, few(), most, turns + 2);
  found.own_many = least_time(f.own, p, many, most, turns);
  found.std_few = least_time(f.standard, p, few(), most, turns + 2);
  found.std_many = least_time(f.standard, p, many, most, turns);
  return found;
}

pattern draw_one(const std::vector<family>& families, random& draw) {
  const family& f = families[draw.below(families.size() - 1)];
  pattern p;
  p.family = f.name;
  p.fill = f.fills[draw.below(f.fills.size())];
  p.thin = static_cast<thinning>(draw.below(thinning_names.size()));
  p.bytes = static_cast<sizes>(draw.below(size_names.size()));
  for (std::size_t left = 1 + draw.below(6); left != 0; --left)
    p.cycle.push_back(f.steps[draw.below(f.steps.size())]);
  return p;
}

const family& family_of(const std::vector<family>& families, const pattern& p) {
  for (const family& f : families)
    if (p.family == f.name) return f;
  fail("no such family");
}

void print(const pattern& p, const finding& f) {
  std::printf("%6.1f times as steep: %.0f -> %.0f ns a step (std %.0f -> %.0f)  %s\n", f.ratio(),
              f.own_few, f.own_many, f.std_few, f.std_many, p.text().c_str());
  std::fflush(stdout);
}

// A cliff of which no step can be left out.
pattern shrunk(const family& f, pattern p) {
  const auto holds = [&](const pattern& with) { return measure(f, with, 1, 1).is_cliff(); };
  for (std::size_t i = p.cycle.size(); i-- > 0 && p.cycle.size() > 1;) {
    pattern without = p;
    without.cycle.erase(without.cycle.begin() + static_cast<std::ptrdiff_t>(i));
    if (holds(without)) p = without;
  }
  pattern plain = p;
  plain.thin = thinning::none;
  if (p.thin != thinning::none && holds(plain)) p = plain;
  return p;
}

int search(double minutes, std::uint64_t seed) {
  const std::vector<family> families = all_families();
  random draw(seed);
  const double begin = seconds_now();
  std::size_t draws = 0, cliffs = 0;
  double steepest = 0;
  for (; seconds_now() - begin < minutes * 60; ++draws) {
    pattern p = draw_one(families, draw);
    const family& f = family_of(families, p);
    const finding quick = measure(f, p, most_seconds, 1);
    if (!quick.is_cliff()) {
      steepest = std::max(steepest, quick.ratio());
      continue;
    }
    p = shrunk(f, p);
    const finding sure = measure(f, p, most_confirmed_seconds, 3);
    if (!sure.is_cliff()) continue;
    // A cost that has a bound reaches it.
    many *= 10;
    const bool goes_on = measure(f, p, most_confirmed_seconds, 1).is_cliff();
    many /= 10;
    if (!goes_on) continue;
    ++cliffs;
    print(p, sure);
  }
  std::printf(
      "%zu patterns, %zu cliffs; of the others, the steepest was %.1f times as steep as std\n",
      draws, cliffs, steepest);
  return cliffs == 0 ? 0 : 1;
}

}  // namespace
}  // namespace bench::search

int main(int argc, char** argv) {
  using namespace bench::search;
  const char* const usage =
      "usage: ./dev bench cliffs families [--many N] [--minutes M] [--seed S] [--pattern TEXT]";
  double minutes = 60;
  std::uint64_t seed = 1;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) bench::fail(usage);
    if (std::strcmp(argv[i], "--pattern") == 0) {
      const pattern p = parse(argv[i + 1]);
      const auto families = all_families();
      const finding found = measure(family_of(families, p), p, most_confirmed_seconds, 3);
      print(p, found);
      return found.is_cliff() ? 1 : 0;
    }
    if (std::strcmp(argv[i], "--many") == 0)
      many = bench::number(argv[i + 1]);
    else if (std::strcmp(argv[i], "--minutes") == 0)
      minutes = std::atof(argv[i + 1]);
    else if (std::strcmp(argv[i], "--seed") == 0)
      seed = bench::number(argv[i + 1]);
    else
      bench::fail(usage);
  }
  return search(minutes, seed);
}
