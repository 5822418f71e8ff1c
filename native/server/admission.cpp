#include "native/server/admission.hpp"

namespace portail {

bool Admission::admit(const IpAddress& address, bool exempt) {
  if (in_all_ >= limits_.in_all) return false;
  if (!exempt) {
    const auto counted = per_address_.try_emplace(address.customer()).first;
    if (counted->second >= limits_.per_address) return false;
    ++counted->second;
  }
  ++in_all_;
  return true;
}

void Admission::release(const IpAddress& address, bool exempt) {
  --in_all_;
  if (exempt) return;
  const auto counted = per_address_.find(address.customer());
  if (--counted->second == 0) per_address_.erase(counted);
}

}  // namespace portail
