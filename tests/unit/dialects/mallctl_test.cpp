// mallctl: names, lengths, errors, and whether the numbers are true.
#include <errno.h>
#include <string.h>

#include "dialects/control.hpp"
#include "heapsmith/heapsmith.h"

namespace {

using namespace heapsmith::testing;

std::size_t dirty_bytes() {
  return value_of<std::size_t>("stats.arenas.0.pdirty") * value_of<std::size_t>("arenas.page");
}

TEST(Mallctl, KnowsNoOtherNames) {
  for (const char* name : {"",
                           ".",
                           "version.",
                           ".version",
                           "stats",
                           "stats.allocatedx",
                           "stats.allocated.",
                           "opt.",
                           "stats.arenas.x.pactive",
                           "stats.arenas..pactive",
                           "stats.arenas.0",
                           "arena.0.extent_hooks",
                           "thread.allocated",
                           "thread.allocatedp",
                           "opt.utrace",
                           "opt.xmalloc",
                           "config.opt_size_checks",
                           "arenas.bin.99999999999.size",
                           "stats.arenas.0.bins.112.curregs",
                           "arenas.bin.112.size",
                           "stats.arenas.7.pactive",
                           "arena.7.purge"}) {
    std::size_t value = 17, length = sizeof value;
    EXPECT_EQ(mallctl(name, &value, &length, nullptr, 0), ENOENT) << name;
    EXPECT_EQ(value, 17u);
  }
  std::size_t mib[8], length = 8;
  EXPECT_EQ(mallctlnametomib("stats.nothing", mib, &length), ENOENT);
  mib[0] = 10'000;
  EXPECT_EQ(mallctlbymib(mib, 2, nullptr, nullptr, nullptr, 0), ENOENT);
}

TEST(Mallctl, ReadsAsMuchAsThereIsRoomForIfALengthIsWrong) {
  begin_epoch();
  const std::size_t right = value_of<std::size_t>("stats.active");
  std::uint32_t half = 0;
  std::size_t length = sizeof half;
  EXPECT_EQ(mallctl("stats.active", &half, &length, nullptr, 0), EINVAL);
  EXPECT_EQ(length, sizeof half);
  EXPECT_EQ(half, static_cast<std::uint32_t>(right));
  std::size_t two[2] = {0, 5};
  length = sizeof two;
  EXPECT_EQ(mallctl("stats.active", two, &length, nullptr, 0), EINVAL);
  EXPECT_EQ(length, sizeof right);
  EXPECT_EQ(two[0], right);
  EXPECT_EQ(two[1], 5u);
  EXPECT_EQ(mallctl("stats.active", nullptr, nullptr, nullptr, 0), 0) << "a name may be tried";
}

TEST(Mallctl, RefusesToWriteWhatIsReadOnly) {
  EXPECT_EQ(write("stats.allocated", std::size_t{1}), EPERM);
  EXPECT_EQ(write("version", "x"), EPERM);
  EXPECT_EQ(write("opt.narenas", 2u), EPERM);
  EXPECT_EQ(write("arena.0.purge", 1), EPERM) << "it has no value";
  int old;
  std::size_t length = sizeof old;
  EXPECT_EQ(mallctl("thread.tcache.flush", &old, &length, nullptr, 0), EPERM);
}

TEST(Mallctl, ChangesNothingIfALengthIsWrong) {
  const auto before = value_of<ssize_t>("arenas.dirty_decay_ms");
  EXPECT_EQ(write("arenas.dirty_decay_ms", int{5}), EINVAL);
  ssize_t wanted = 5;
  int old;
  std::size_t length = sizeof old;
  EXPECT_EQ(mallctl("arenas.dirty_decay_ms", &old, &length, &wanted, sizeof wanted), EINVAL);
  EXPECT_EQ(value_of<ssize_t>("arenas.dirty_decay_ms"), before);
  EXPECT_EQ(write("epoch", int{1}), EINVAL);
}

TEST(Mallctl, MeasuresAtEachEpoch) {
  begin_epoch();
  const auto before = value_of<std::size_t>("stats.allocated");
  void* p = hs_malloc(1 << 20);
  EXPECT_EQ(value_of<std::size_t>("stats.allocated"), before);
  std::uint64_t epoch = 1, again = 1;
  std::size_t length = sizeof epoch;
  EXPECT_EQ(mallctl("epoch", &epoch, &length, &epoch, sizeof epoch), 0);
  EXPECT_EQ(mallctl("epoch", &again, &length, &again, sizeof again), 0);
  EXPECT_EQ(again, epoch + 1);
  EXPECT_EQ(value_of<std::size_t>("stats.allocated"), before + (1 << 20));
  hs_free(p);
}

TEST(Mallctl, AgreesWithTheStatisticsOfTheHeap) {
  void* p = hs_malloc(100'000);
  void* q = hs_malloc(50 << 20);
  hs_statistics s;
  s.size = sizeof s;
  begin_epoch();
  hs_stats(&s);
  const std::size_t active = s.slab_bytes + s.large_bytes + s.direct_bytes;
  EXPECT_EQ(value_of<std::size_t>("stats.allocated"), s.in_use_bytes);
  EXPECT_EQ(value_of<std::size_t>("stats.active"), active);
  EXPECT_EQ(value_of<std::size_t>("stats.metadata"), s.metadata_bytes);
  EXPECT_EQ(value_of<std::size_t>("stats.resident"), active + s.cached_bytes + s.metadata_bytes);
  EXPECT_EQ(value_of<std::size_t>("stats.mapped"), value_of<std::size_t>("stats.resident"));
  EXPECT_EQ(value_of<std::size_t>("stats.mapped") + value_of<std::size_t>("stats.retained"),
            s.committed_bytes + s.direct_bytes + s.metadata_bytes);
  EXPECT_EQ(value_of<std::size_t>("stats.arenas.4096.pactive") *
                value_of<std::size_t>("arenas.page"),
            active);
  EXPECT_EQ(value_of<std::size_t>("stats.arenas.4096.large.allocated"),
            s.large_bytes + s.direct_bytes);
  hs_free(p);
  hs_free(q);
}

TEST(Mallctl, CountsBlocksOfAClass) {
  begin_epoch();
  const std::string bin = "stats.arenas.4096.bins.6.";
  ASSERT_EQ(value_of<std::size_t>("arenas.bin.6.size"), 112u);
  const auto before = value_of<std::size_t>(bin + "curregs");
  std::vector<void*> blocks(1000);
  for (void*& p : blocks) p = hs_malloc(112);
  begin_epoch();
  EXPECT_EQ(value_of<std::size_t>(bin + "curregs"), before + 1000);
  const auto slabs = value_of<std::size_t>(bin + "curslabs");
  EXPECT_GE(slabs * value_of<std::uint32_t>("arenas.bin.6.nregs"), before + 1000);
  EXPECT_LE(value_of<std::size_t>(bin + "nonfull_slabs"), slabs);
  EXPECT_EQ(value_of<std::size_t>("stats.arenas.0.bins.6.curregs"), before + 1000);
  for (void* p : blocks) hs_free(p);
}

TEST(Mallctl, TakesNumbersByMib) {
  std::size_t mib[8], parts = 8;
  ASSERT_EQ(mallctlnametomib("arenas.bin.0.size", mib, &parts), 0);
  ASSERT_EQ(parts, 4u);
  for (std::size_t c = 0; c < value_of<unsigned>("arenas.nbins"); ++c) {
    mib[2] = c;
    std::size_t size, length = sizeof size;
    ASSERT_EQ(mallctlbymib(mib, parts, &size, &length, nullptr, 0), 0);
    EXPECT_EQ(size, hs_good_size(size));
  }
  EXPECT_EQ(mallctlbymib(mib, parts - 1, nullptr, nullptr, nullptr, 0), ENOENT);
  std::size_t short_mib[2] = {99, 99}, room = 1;
  ASSERT_EQ(mallctlnametomib("arenas.bin.5.size", short_mib, &room), 0);
  EXPECT_EQ(room, 1u);
  EXPECT_EQ(short_mib[1], 99u) << "no more is written than there is room for";
}

TEST(Mallctl, EndsBlocksOfArenas) {
  const unsigned a = create_arena();
  EXPECT_EQ(value_of<unsigned>("arenas.narenas"), a + 1);
  const std::string name = "arena." + std::to_string(a),
                    stats = "stats.arenas." + std::to_string(a);
  EXPECT_TRUE(value_of<bool>(name + ".initialized"));
  ASSERT_NE(mallocx(100'000, static_cast<int>((a + 1) << 20)), nullptr);
  begin_epoch();
  const auto first = value_of<std::size_t>("stats.arenas.0.large.allocated");
  EXPECT_EQ(value_of<std::size_t>("stats.arenas.4096.large.allocated"), first + 128 * 1024);
  EXPECT_EQ(act(name + ".reset"), 0);
  EXPECT_EQ(value_of<std::size_t>(stats + ".pactive"), 0u);
  EXPECT_EQ(act(name + ".destroy"), 0);
  EXPECT_EQ(act(name + ".destroy"), ENOENT);
  EXPECT_FALSE(value_of<bool>(name + ".initialized"));
  EXPECT_EQ(create_arena(), a) << "numbers are used again";
  EXPECT_EQ(act("arena.0.destroy"), EFAULT) << "arena 0 has no end";
  EXPECT_EQ(act("arena.0.reset"), EFAULT);
}

TEST(Mallctl, CreatesArenasUntilNumbersRunOut) {
  unsigned n, last = 0;
  std::size_t length = sizeof n;
  int error;
  while ((error = mallctl("arenas.create", &n, &length, nullptr, 0)) == 0) last = n;
  EXPECT_EQ(error, EAGAIN);
  EXPECT_EQ(last, 4094u);
  void* p = mallocx(100, static_cast<int>(4095u << 20));
  EXPECT_NE(p, nullptr);
  dallocx(p, 0);
  int wrong;
  length = sizeof wrong - 1;
  EXPECT_EQ(mallctl("arenas.create", &wrong, &length, nullptr, 0), EINVAL);
}

TEST(Mallctl, PurgesOnRequest) {
  for (const char* name : {"arena.0.purge", "arena.4096.purge", "arena.1.purge"}) {
    void* p = hs_malloc(8 << 20);
    memset(p, 1, 8 << 20);
    hs_free(p);
    begin_epoch();
    EXPECT_GE(dirty_bytes(), 2u << 20) << name;
    EXPECT_EQ(act(name), 0) << "arenas.narenas stands for all arenas, too";
    begin_epoch();
    EXPECT_EQ(dirty_bytes(), 0u) << name;
  }
  EXPECT_EQ(act("arena.0.decay"), 0);
  EXPECT_EQ(act("thread.tcache.flush"), 0);
}

TEST(Mallctl, SetsThePurgeDelay) {
  EXPECT_EQ(value_of<ssize_t>("opt.dirty_decay_ms"), 1000);
  EXPECT_EQ(write("arenas.dirty_decay_ms", ssize_t{50}), 0);
  EXPECT_EQ(value_of<ssize_t>("arena.0.dirty_decay_ms"), 50);
  EXPECT_EQ(write("arena.0.dirty_decay_ms", ssize_t{-1}), 0);
  EXPECT_EQ(value_of<ssize_t>("arenas.dirty_decay_ms"), -1);
  EXPECT_EQ(write("arena.4096.dirty_decay_ms", ssize_t{0}), 0);
  void* p = hs_malloc(8 << 20);
  memset(p, 1, 8 << 20);
  hs_free(p);
  begin_epoch();
  EXPECT_LE(dirty_bytes(), 1u << 20) << "all but what threads keep";
  EXPECT_EQ(write("arenas.dirty_decay_ms", ssize_t{-2}), EFAULT);
  const unsigned a = create_arena();
  EXPECT_EQ(write("arena." + std::to_string(a) + ".dirty_decay_ms", ssize_t{77}), 0);
  EXPECT_EQ(value_of<ssize_t>("arenas.dirty_decay_ms"), 0) << "a created arena has none of its own";
}

TEST(Mallctl, KeepsTimesThatHaveNoEffect) {
  for (const ssize_t ms : {ssize_t{-1}, ssize_t{0}, ssize_t{5000}}) {
    EXPECT_EQ(write("arenas.muzzy_decay_ms", ms), 0);
    EXPECT_EQ(value_of<ssize_t>("arena.0.muzzy_decay_ms"), ms);
  }
  EXPECT_EQ(write("arenas.muzzy_decay_ms", ssize_t{-2}), EFAULT);
  const std::string arena = "arena." + std::to_string(create_arena());
  const auto of_process = value_of<ssize_t>("arenas.dirty_decay_ms");
  EXPECT_EQ(value_of<ssize_t>(arena + ".dirty_decay_ms"), of_process);
  EXPECT_EQ(write(arena + ".dirty_decay_ms", ssize_t{-1}), 0);
  EXPECT_EQ(value_of<ssize_t>(arena + ".dirty_decay_ms"), -1);
  EXPECT_EQ(value_of<ssize_t>("arenas.dirty_decay_ms"), of_process);
}

TEST(Mallctl, HasAProfilerThatIsOff) {
  EXPECT_TRUE(value_of<bool>("config.prof"));
  EXPECT_FALSE(value_of<bool>("opt.prof"));
  EXPECT_TRUE(value_of<bool>("opt.prof_active"));
  EXPECT_FALSE(value_of<bool>("prof.active"));
  EXPECT_EQ(write("prof.active", false), 0);
  EXPECT_EQ(write("prof.active", true), ENOENT);
  EXPECT_EQ(write("prof.active", 0), EINVAL);
  EXPECT_EQ(write("thread.prof.active", false), ENOENT);
}

TEST(Mallctl, NumbersCaches) {
  const auto first = value_of<unsigned>("tcache.create");
  EXPECT_EQ(value_of<unsigned>("tcache.create"), first + 1);
  EXPECT_EQ(write("tcache.flush", first), 0);
  EXPECT_EQ(write("tcache.destroy", first), 0);
  EXPECT_EQ(write("tcache.destroy", first + 2), EFAULT);
}

TEST(Mallctl, TellsTheArenaOfABlock) {
  const unsigned a = create_arena();
  const int flags = static_cast<int>((a + 1) << 20);
  for (const std::size_t size : {100ul, 100'000ul, 40ul << 20}) {
    for (const unsigned n : {0u, a}) {
      void* p = mallocx(size, n == 0 ? 0 : flags);
      unsigned found = 99;
      std::size_t length = sizeof found;
      EXPECT_EQ(mallctl("arenas.lookup", &found, &length, &p, sizeof p), 0);
      EXPECT_EQ(found, n);
      dallocx(p, 0);
    }
  }
  int here;
  void* foreign = &here;
  EXPECT_EQ(write("arenas.lookup", foreign), EINVAL);
}

TEST(Mallctl, RefusesEffectsThatItDoesNotHave) {
  EXPECT_EQ(write("thread.arena", 0u), 0);
  EXPECT_EQ(write("thread.arena", 1u), EPERM);
  EXPECT_EQ(write("thread.tcache.enabled", true), 0);
  EXPECT_EQ(write("thread.tcache.enabled", false), EPERM);
  EXPECT_FALSE(value_of<bool>("background_thread"));
  EXPECT_EQ(write("background_thread", false), 0);
  EXPECT_EQ(write("background_thread", true), EFAULT);
}

TEST(MallocStatsPrint, WritesTextAndJson) {
  void* p = hs_malloc(112);
  std::string text;
  const auto append = [](void* to, const char* part) { *static_cast<std::string*>(to) += part; };
  malloc_stats_print(append, &text, nullptr);
  EXPECT_NE(text.find("heapsmith 0."), text.npos);
  EXPECT_NE(text.find("block size"), text.npos);
  text.clear();
  malloc_stats_print(append, &text, "b");
  EXPECT_EQ(text.find("block size"), text.npos);
  text.clear();
  malloc_stats_print(append, &text, "J");
  const std::string allocated = std::to_string(value_of<std::size_t>("stats.allocated"));
  EXPECT_NE(text.find("{\"jemalloc\":{\"version\":\"5.3.0"), text.npos) << text;
  EXPECT_NE(text.find("\"stats\":{\"allocated\":" + allocated + ","), text.npos) << text;
  hs_free(p);
}

}  // namespace
