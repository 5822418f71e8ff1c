// How many connections there may be, in all and from one address. One thread at a time.
#pragma once

#include <cstddef>
#include <map>

#include "native/server/address_range.hpp"

namespace portail {

struct AdmissionLimits {
  std::size_t in_all = 8192;
  std::size_t per_address = 512;  // an IPv6 network of 64 bits, which one customer is given whole, is one address
};

class Admission {
 public:
  explicit Admission(AdmissionLimits limits) : limits_(limits) {}

  // Counts a connection from there, or says that it is one too many. An exempt one, from a proxy that many clients
  // stand behind, counts among all only.
  bool admit(const IpAddress& address, bool exempt);
  // The end of one that was admitted, with the same arguments.
  void release(const IpAddress& address, bool exempt);
  // In all.
  [[nodiscard]] std::size_t max() const { return limits_.in_all; }

 private:
  AdmissionLimits limits_;
  std::size_t in_all_ = 0;
  std::map<IpAddress, std::size_t> per_address_;
};

}  // namespace portail
