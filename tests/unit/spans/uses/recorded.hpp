// How much of the heap programs had in use while they ran: recorded by uses/sample.c.
#pragma once

#include <cstdint>
#include <span>

namespace heapsmith::spans::test {

/// From `ms` on the use, in slices, goes evenly to that of the next turn.
struct turn {
  std::uint32_t ms, slices;
};

struct recorded_use {
  const char* program;
  std::span<const turn> turns;
};

// python3 writes and reads a JSON text of 30,000 objects, four times.
inline constexpr turn python_json_turns[] = {{254, 428}, {255, 248}, {499, 604},  {500, 250},
                                             {881, 604}, {882, 250}, {1130, 604}, {1455, 68}};
// python3 with numpy makes, joins and sorts arrays, eight times.
inline constexpr turn numpy_turns[] = {{1222, 753}, {1234, 183}, {2230, 753}, {2231, 146},
                                       {3267, 753}, {3282, 183}, {4313, 753}, {4319, 146},
                                       {5623, 753}, {5630, 146}, {6894, 753}, {6897, 183},
                                       {7985, 753}, {7997, 146}, {9224, 753}, {9268, 137}};
// GCC's cc1plus compiles a file that includes <regex> with -O2.
inline constexpr turn cc1plus_turns[] = {{8100, 220}};
// clang -cc1 compiles the same file.
inline constexpr turn clang_turns[] = {{6651, 1178}, {6708, 130}};
// sqlite3 fills, indexes, sorts, thins and drops a table in memory.
inline constexpr turn sqlite_turns[] = {{3903, 2655}, {3929, 1353}, {4337, 2236},
                                        {4388, 923},  {4465, 1793}, {4531, 53}};
// lua makes and drops 400,000 tables, six times.
inline constexpr turn lua_turns[] = {{756, 988},  {942, 57},  {1946, 988}, {2136, 57},
                                     {2973, 988}, {3122, 57}, {3734, 988}, {3870, 61},
                                     {4267, 987}, {4318, 63}, {4701, 987}, {4770, 24}};
// perl makes a hash of 150,000 lists and sorts its keys, five times.
inline constexpr turn perl_turns[] = {{636, 1118},  {641, 907},  {1049, 1137}, {1295, 907},
                                      {1711, 1137}, {1997, 907}, {2450, 1137}, {2718, 899},
                                      {3146, 1137}, {3437, 856}};
// tclsh makes a dictionary of 300,000 lists and sorts a list, four times.
inline constexpr turn tcl_turns[] = {{3917, 1837}};
// redis-server is filled and flushed, four times, and rests for a second or two each time.
inline constexpr turn redis_turns[] = {{2610, 761}, {3745, 71}, {4175, 416}, {6217, 84},
                                       {7366, 785}, {8501, 92}, {8955, 421}, {10981, 92}};
// git packs the objects of a repository with two threads.
inline constexpr turn git_turns[] = {{43, 79},    {59, 60},    {2812, 980}, {3000, 740},
                                     {3735, 976}, {3766, 809}, {3824, 996}, {3990, 808},
                                     {4028, 985}, {4134, 798}};
// eight threads fill 1 GiB with blocks of up to 4 KiB, free all but a thousandth, and sleep.
inline constexpr turn burst_turns[] = {{639, 13296}, {10012, 525}};
// four bursts by eight threads, then a hundred calls a second for 14 s.
inline constexpr turn trickle_turns[] = {{534, 9822},  {716, 6},     {1328, 9060}, {1403, 104},
                                         {1496, 5144}, {1517, 3667}, {1584, 6345}, {1640, 439},
                                         {1810, 9152}, {16033, 76}};
// a map of strings to lists of strings, built and dropped eight times.
inline constexpr turn tree_turns[] = {{1006, 1571}, {1036, 17}, {1945, 1572}, {1952, 18},
                                      {2749, 1572}, {2758, 21}, {3581, 1572}, {3588, 21},
                                      {4544, 1572}, {4568, 18}, {5548, 1572}, {5557, 18},
                                      {6401, 1572}, {6404, 18}, {7165, 1572}, {7172, 18}};
// four threads grow aligned blocks by copies and free them, in six generations.
inline constexpr turn generations_turns[] = {
    {346, 4164}, {413, 16},   {540, 3623}, {548, 464},  {706, 3798}, {728, 6},    {800, 2841},
    {811, 6},    {863, 2878}, {882, 87},   {930, 3172}, {940, 1433}, {952, 2054}, {956, 7}};

inline constexpr recorded_use recorded_uses[] = {{"python-json", python_json_turns},
                                                 {"numpy", numpy_turns},
                                                 {"cc1plus", cc1plus_turns},
                                                 {"clang", clang_turns},
                                                 {"sqlite", sqlite_turns},
                                                 {"lua", lua_turns},
                                                 {"perl", perl_turns},
                                                 {"tcl", tcl_turns},
                                                 {"redis", redis_turns},
                                                 {"git", git_turns},
                                                 {"burst", burst_turns},
                                                 {"trickle", trickle_turns},
                                                 {"tree", tree_turns},
                                                 {"generations", generations_turns}};

}  // namespace heapsmith::spans::test
