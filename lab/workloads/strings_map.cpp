// Workload strings-map: a cache of strings with a byte budget, eviction and a change of value
// sizes.
//
// Idea: Rumble, Kejriwal and Ousterhout, "Log-structured memory for DRAM-based storage", FAST 2014,
// which measures the fragmentation of key-value stores under several mallocs. Values are replaced
// at random while the budget is full. Half way the distribution of their sizes shifts, so the
// memory of old values must be reused for new ones. The cache is split into shards that change
// threads each round, so often one thread evicts a value that another thread stored.

#include <barrier>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "workload.hpp"

namespace {

constexpr std::size_t shard_budget = 400 * 1024;  // bytes of keys and values
constexpr std::uint32_t key_count = 6000;         // per shard; about half of their values fit
constexpr double requests_per_shard = 22e3;
constexpr unsigned rounds = 10;

std::string make_key(unsigned shard, std::uint32_t id) {
  std::string key = "shard:" + std::to_string(shard) + "/object:" + std::to_string(id);
  if (id % 4 == 0) key += "/with/a/longer/name/than/most";
  return key;
}

// A value repeats one byte between a head and a tail that name its seed.
std::string make_value(std::size_t size, std::uint64_t seed) {
  std::string value(size, static_cast<char>(seed));
  std::memcpy(value.data(), &seed, sizeof seed);
  std::memcpy(value.data() + size - sizeof seed, &seed, sizeof seed);
  return value;
}

std::uint64_t verify(const std::string& value) {
  std::uint64_t head;
  std::uint64_t tail;
  std::memcpy(&head, value.data(), sizeof head);
  std::memcpy(&tail, value.data() + value.size() - sizeof tail, sizeof tail);
  const char* body = value.data() + sizeof head;
  const std::size_t length = value.size() - sizeof head - sizeof tail;
  const bool intact = head == tail && body[0] == static_cast<char>(head) &&
                      std::memcmp(body, body + 1, length - 1) == 0;
  if (!intact) lab::fail("a value changed while it was stored");
  return lab::mix(head) + value.size();
}

class shard {
 public:
  explicit shard(unsigned number) : number_(number), random_(number) {
    entries_.max_load_factor(0.5f);
    entries_.reserve(key_count);  // never rehashed, so the iterators in order_ stay valid
  }

  std::uint64_t serve(std::uint64_t requests, bool shifted) {
    std::uint64_t sum = 0;
    for (; requests != 0; --requests) {
      std::string key = make_key(number_, pick());
      const auto found = entries_.find(key);
      if (found == entries_.end()) {
        insert(std::move(key), shifted);
        while (bytes_ > shard_budget) sum += evict();
      } else if (random_.below(4) == 0) {
        bytes_ -= found->second.value.size();
        sum += verify(found->second.value);
        found->second.value = next_value(shifted);
        bytes_ += found->second.value.size();
      } else {
        const std::string answer = found->second.value;  // leaves the lock, so a copy
        found->second.used = true;
        sum += verify(answer);
      }
    }
    return sum;
  }

  std::uint64_t end() {
    std::uint64_t sum = 0;
    while (!order_.empty()) sum += evict();
    return sum + entries_.size();
  }

 private:
  struct entry {
    std::string value;
    bool used = false;
  };
  using table = std::unordered_map<std::string, entry>;

  // The square makes some keys much more popular than others.
  std::uint32_t pick() {
    const double place = random_.unit();
    return static_cast<std::uint32_t>(place * place * key_count);
  }

  std::string next_value(bool shifted) {
    const std::size_t size = shifted ? 130 + random_.below(360) : 24 + random_.below(200);
    return make_value(size, random_.word());
  }

  void insert(std::string key, bool shifted) {
    const auto [at, added] = entries_.emplace(std::move(key), entry{next_value(shifted)});
    if (!added) lab::fail("a key that was not found exists");
    bytes_ += at->first.size() + at->second.value.size();
    order_.push_back(at);
  }

  // First in, first out, with a second chance for entries that were read meanwhile.
  std::uint64_t evict() {
    for (;;) {
      const auto oldest = order_.front();
      order_.pop_front();
      auto& [key, stored] = *oldest;
      if (stored.used) {
        stored.used = false;
        order_.push_back(oldest);
        continue;
      }
      const std::uint64_t sum = verify(stored.value) + key.size();
      bytes_ -= key.size() + stored.value.size();
      entries_.erase(oldest);
      return sum;
    }
  }

  const unsigned number_;
  lab::random_source random_;
  std::size_t bytes_ = 0;
  table entries_;
  std::deque<table::iterator> order_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto options = lab::parse_options(argc, argv);
  const std::uint64_t requests = options.scaled(requests_per_shard / rounds);
  std::vector<std::unique_ptr<shard>> shards;
  for (unsigned n = 0; n < lab::task_count; ++n) shards.push_back(std::make_unique<shard>(n));
  std::barrier round_end(static_cast<std::ptrdiff_t>(options.threads));
  return lab::finish(lab::run_lanes(options.threads, [&](unsigned lane) {
    std::uint64_t sum = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      for (unsigned n = (lane + round) % options.threads; n < lab::task_count;
           n += options.threads) {
        sum += shards[n]->serve(requests, round >= rounds / 2);
      }
      round_end.arrive_and_wait();
    }
    for (unsigned n = lane; n < lab::task_count; n += options.threads) sum += shards[n]->end();
    return sum;
  }));
}
