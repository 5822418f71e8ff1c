#include "native/server/admission.hpp"

namespace portail::server {

bool Admission::admit(const IpAddress& address, bool exempt) {
  if (connections_ >= limits_.max_connections) return false;
  if (!exempt) {
    const auto entry = by_address_.try_emplace(address.client_prefix()).first;
    if (entry->second >= limits_.max_per_address) return false;
    ++entry->second;
  }
  ++connections_;
  return true;
}

void Admission::release(const IpAddress& address, bool exempt) {
  --connections_;
  if (exempt) return;
  const auto entry = by_address_.find(address.client_prefix());
  if (--entry->second == 0) by_address_.erase(entry);
}

}  // namespace portail::server
