#include "edge/http/client.hpp"

#include <array>

namespace portail::edge {

std::string_view error_text(std::uint8_t code) {
  constexpr std::array<std::string_view, 18> texts{
      "its name could not be resolved in time",
      "its name cannot be resolved",
      "the host does not know the destination",
      "the destination is unavailable",
      "the host does not allow the address",
      "the address cannot be reached",
      "connection refused",
      "connection closed",
      "timed out",
      "timed out",
      "timed out",
      "the host has too many connections",
      "TLS error",
      "its certificate is not from a trusted authority, is for another name, or has expired",
      "TLS alert",
      "the host does not allow the request (in Spin: allowed_outbound_hosts)",
      "the host refused the request",
      "the host refused the request",
  };
  return code < texts.size() ? texts[code] : "the host reported an error of HTTP";
}

}  // namespace portail::edge
