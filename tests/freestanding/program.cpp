// The tests of the free-standing build: regions on a bare processor of 32 bits.
#include "offset_cases.hpp"
#include "region_cases.hpp"
#include "suite.hpp"
#include "target.hpp"

static_assert(sizeof(std::size_t) == 4);
static_assert(sizeof(hs_small_region) <= 320 && sizeof(hs_region) <= 7168);

namespace {

constexpr char twice[] = "freed twice";
constexpr char gone[] = "no block starts here: it was freed before, or never was one";
constexpr char not_live[] = "is not a live block: it was deallocated before, or never was one";

// The messages name the calls alike for both kinds.
#define HS_REGION_CASES(KIND)                                                                      \
  {#KIND ": every size", region_cases<KIND>::every_size},                                          \
      {#KIND ": random steps in 4 KiB", region_cases<KIND>::four_kilobytes},                       \
      {#KIND ": random steps with many sizes", region_cases<KIND>::many_sizes},                    \
      {#KIND ": exhaustion", region_cases<KIND>::exhaustion},                                      \
      {#KIND ": zeroed blocks", region_cases<KIND>::zeroed},                                       \
      {#KIND ": alignments", region_cases<KIND>::alignments},                                      \
      {#KIND ": moving down", region_cases<KIND>::moving_down},                                    \
      {#KIND ": buffers", region_cases<KIND>::buffers},                                            \
      {#KIND ": surveys", region_cases<KIND>::surveys},                                            \
      {#KIND ": damage", region_cases<KIND>::damage},                                              \
      {#KIND ": free twice", region_cases<KIND>::free_twice, "region_free", twice},                \
      {#KIND ": free large twice", region_cases<KIND>::free_large_twice, "region_free", twice},    \
      {#KIND ": free inside", region_cases<KIND>::free_inside, "region_free", gone},               \
      {#KIND ": free misaligned", region_cases<KIND>::free_misaligned, "region_free", gone},       \
      {#KIND ": free foreign", region_cases<KIND>::free_foreign, "region_free",                    \
       "is not a block of this region"},                                                           \
      {#KIND ": reallocate freed", region_cases<KIND>::reallocate_freed, "region_realloc", twice}, \
      {#KIND ": write behind", region_cases<KIND>::write_behind, "region_free",                    \
       "the header behind this block was overwritten"},                                            \
      {#KIND ": write after free", region_cases<KIND>::write_after_free, "region_free",            \
       "the free block in front of this one was written to after it was freed"}

constexpr suite::test_case cases[] = {
    HS_REGION_CASES(fine),
    HS_REGION_CASES(coarse),
    {"offset: random steps", offset_cases::random_steps},
    {"offset: exhaustion", offset_cases::exhaustion},
    {"offset: large arguments", offset_cases::large_arguments},
    {"offset: free twice", offset_cases::free_twice, "offset_region_deallocate", not_live},
    {"offset: free foreign", offset_cases::free_foreign, "offset_region_deallocate", not_live},
};

}  // namespace

void program() {
  suite::run(cases, sizeof cases / sizeof *cases);
}
