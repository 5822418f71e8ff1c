// Limits the number of connections, in total and for each address. One thread at a time.
#pragma once

#include <cstddef>
#include <map>

#include "native/server/address_range.hpp"

namespace portail::server {

struct AdmissionLimits {
  std::size_t max_connections = 8192;
  std::size_t max_per_address = 512;  // an IPv6 /64 network counts as one address
};

class Admission {
 public:
  explicit Admission(AdmissionLimits limits) : limits_(limits) {}

  // Counts a connection and returns true, or returns false if a limit is reached. An exempt connection, that of a
  // trusted proxy, counts only towards the total.
  bool admit(const IpAddress& address, bool exempt);
  // Releases an admitted connection; the arguments are those of admit().
  void release(const IpAddress& address, bool exempt);
  [[nodiscard]] std::size_t max() const { return limits_.max_connections; }

 private:
  AdmissionLimits limits_;
  std::size_t connections_ = 0;
  std::map<IpAddress, std::size_t> by_address_;
};

}  // namespace portail::server
