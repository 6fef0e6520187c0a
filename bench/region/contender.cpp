// One contender for the workloads: HS_CONTENDER names the header that defines it.
#include "region/contender.hpp"

#include HS_CONTENDER

namespace bench {

const contender_facts facts = {contender::name, contender::uses_buffer, contender::is_thread_safe};

std::string version() {
  return contender::version();
}

void contender_end::operator()(contender* ended) const {
  delete ended;
}

contender_handle make_contender(std::span<std::byte> buffer) {
  return contender_handle(new contender(buffer));
}

void* allocate_from(contender& from, std::size_t bytes) {
  return from.allocate(bytes);
}

void deallocate_to(contender& to, void* block, std::size_t bytes) {
  to.deallocate(block, bytes);
}

void renew(contender& renewed) {
  const auto renew_if_it_can = [](auto& it) {
    if constexpr (requires { it.renew(); }) it.renew();
  };
  renew_if_it_can(renewed);
}

}  // namespace bench
