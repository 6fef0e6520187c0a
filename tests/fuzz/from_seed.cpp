// Runs random tapes from a seed, or the tape in a file: for builds without libFuzzer, and to repeat
// its findings.
//
//   fuzz_from_seed SEED BYTES    40 tapes of BYTES bytes
//   fuzz_from_seed FILE
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "steps.hpp"

namespace {

constexpr int tapes = 40;

int run_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path);
    return 2;
  }
  const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  const std::vector<std::uint8_t> tape(text.begin(), text.end());
  heapsmith::fuzz::run(tape.data(), tape.size());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2) return run_file(argv[1]);
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s SEED BYTES | FILE\n", argv[0]);
    return 2;
  }
  std::mt19937 random(static_cast<unsigned>(std::atol(argv[1])));
  std::vector<std::uint8_t> tape(static_cast<std::size_t>(std::atol(argv[2])));
  for (int k = 0; k < tapes; ++k) {
    for (std::uint8_t& byte : tape) byte = static_cast<std::uint8_t>(random());
    heapsmith::fuzz::run(tape.data(), tape.size());
  }
  return 0;
}
