// IP addresses and CIDR ranges (RFC 4632 and 4291). Values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sys/socket.h>

namespace portail::server {

// An IPv4 address is stored as its IPv4-mapped IPv6 form, so that 127.0.0.1 and ::ffff:127.0.0.1 are equal.
class IpAddress {
 public:
  // Parses a literal address; nullopt for any other text. Names are not resolved.
  static std::optional<IpAddress> parse(const std::string& text);
  // Returns the peer's address of a connected socket; nullopt if it has none.
  static std::optional<IpAddress> of_peer(int socket);

  [[nodiscard]] bool is_loopback() const;
  // Returns the prefix that identifies one client: the whole IPv4 address, or the /64 network of an IPv6 address.
  [[nodiscard]] IpAddress client_prefix() const;
  // The IPv6 form, in network byte order.
  [[nodiscard]] const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  friend class AddressRange;
  std::array<std::uint8_t, 16> bytes_{};
};

class AddressRange {
 public:
  // Parses "10.0.0.0/8", "2001:db8::/32", or a single address; nullopt for any other text.
  static std::optional<AddressRange> parse(std::string_view text);
  [[nodiscard]] bool contains(const IpAddress& address) const;

 private:
  IpAddress base_;
  unsigned prefix_length_ = 128;  // of 128 bits
};

}  // namespace portail::server
