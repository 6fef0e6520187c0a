// The scripts of the random mixes: what they request, and that they stay within their share.
#include "region/script.hpp"

#include <gtest/gtest.h>
#include <map>

#include "region/counted_steps.hpp"
#include "region/random.hpp"

namespace {

constexpr std::size_t target = 1 << 20;

using replayed = std::map<std::uint32_t, std::uint32_t>;  // live sizes by slot

// Plays the steps on a map; every step must make sense.
std::size_t play(std::span<const bench::step> steps, replayed& live, std::size_t bytes) {
  for (const bench::step& each : steps) {
    if (each.size == 0) {
      EXPECT_TRUE(live.contains(each.slot)) << "a deallocation of nothing";
      bytes -= bench::footprint(live[each.slot]);
      live.erase(each.slot);
    } else {
      EXPECT_FALSE(live.contains(each.slot)) << "a second block in a slot";
      EXPECT_GE(each.size, 8u);
      live[each.slot] = each.size;
      bytes += bench::footprint(each.size);
    }
    EXPECT_LE(bytes, target);
  }
  return bytes;
}

TEST(script, stays_within_its_share_and_close_to_it) {
  for (const std::string_view name : bench::distribution::names) {
    SCOPED_TRACE(name);
    const bench::script script(bench::distribution(name), target, 5000, 1);
    replayed live;
    std::size_t bytes = play(script.until_aged(), live, 0);
    bytes = play(script.then(0, 5000), live, bytes);
    EXPECT_GT(bytes, target - 2 * 65'552);
    EXPECT_LE(live.size(), script.slots());
  }
}

TEST(script, is_the_same_for_one_seed_and_another_for_the_next) {
  const bench::distribution sizes("pareto-8-32k");
  const auto word = [&](std::uint64_t seed) {
    const bench::script script(sizes, target, 1000, seed);
    std::uint64_t sum = 0;
    for (const bench::step& each : script.then(0, 1000)) {
      sum = bench::mix(sum + each.slot * 65'537u + each.size);
    }
    return sum;
  };
  EXPECT_EQ(word(1), word(1));
  EXPECT_NE(word(1), word(2));
}

TEST(distribution, draws_the_sizes_its_name_says) {
  bench::random_source random(7);
  const auto limits = [&](std::string_view name) {
    const bench::distribution sizes(name);
    std::uint32_t least = ~0u;
    std::uint32_t most = 0;
    for (int i = 0; i < 100'000; ++i) {
      const std::uint32_t size = sizes.draw(random);
      least = std::min(least, size);
      most = std::max(most, size);
    }
    return std::pair(least, most);
  };
  EXPECT_EQ(limits("fixed-64"), std::pair(64u, 64u));
  EXPECT_EQ(limits("uniform-16-256"), std::pair(16u, 256u));
  EXPECT_EQ(limits("bimodal-16-64k"), std::pair(16u, 65536u));
  EXPECT_EQ(limits("powers-16-4k"), std::pair(16u, 4096u));
  EXPECT_EQ(limits("pareto-8-32k").first, 8u);
  EXPECT_GT(limits("pareto-8-32k").second, 16'000u);
}

TEST(footprint, is_the_size_in_units_of_16_and_a_header) {
  EXPECT_EQ(bench::footprint(1), 32u);
  EXPECT_EQ(bench::footprint(16), 32u);
  EXPECT_EQ(bench::footprint(17), 48u);
}

TEST(mix_name, is_taken_apart_at_its_last_dash) {
  const auto mix = bench::mix_name::parse("random-pareto-8-32k-95");
  ASSERT_TRUE(mix);
  EXPECT_EQ(mix->sizes, "pareto-8-32k");
  EXPECT_EQ(mix->per_cent, 95u);
  for (const char* wrong : {"random-pareto-8-32k", "random-fixed-64-101", "fill-fixed-64-50",
                            "random-95", "random-fixed-64-5x", "random-none-50"}) {
    EXPECT_FALSE(bench::mix_name::parse(wrong)) << wrong;
  }
}

TEST(quantile, leaves_that_share_of_the_values_below) {
  std::vector<std::uint32_t> values(2001);
  for (std::uint32_t i = 0; i <= 2000; ++i) values[i] = 2000 - i;
  EXPECT_EQ(bench::quantile(values, 999, 1000), 1998u);
  EXPECT_EQ(bench::quantile(values, 1, 2), 1000u);
}

TEST(chosen_calls, have_the_slowest_among_them) {
  std::vector<std::uint32_t> taken(1000, 5);
  taken[123] = 900;
  taken[777] = 800;
  const std::vector<bool> chosen = bench::chosen_calls(taken, 20);
  EXPECT_TRUE(chosen[123] && chosen[777] && chosen[0] && chosen[500]);
  EXPECT_LE(std::count(chosen.begin(), chosen.end(), true), 20);
}

TEST(step_counter, counts_the_instructions_between) {
  bench::step_counter counter;
  const auto nops = [&](auto call) { return counter.count(call); };
  const auto few = nops([] { asm volatile("nop; nop; nop"); });
  const auto many = nops([] { asm volatile(".rept 100; nop; .endr"); });
  EXPECT_EQ(few, 3u);
  EXPECT_EQ(many, 100u);
}

}  // namespace
