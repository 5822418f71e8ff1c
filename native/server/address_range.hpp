// Ranges of IP addresses (CIDR, RFC 4632 and 4291): which peers are believed, which addresses are loopback. Values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sys/socket.h>

namespace portail {

// An IPv4 address is kept as its IPv4-mapped IPv6 form, so that 127.0.0.1 and ::ffff:127.0.0.1 are one.
class IpAddress {
 public:
  // nullopt: not a literal address (names are not looked up).
  static std::optional<IpAddress> parse(const std::string& text);
  // The peer of a connected socket; nullopt where it has none.
  static std::optional<IpAddress> of_peer(int socket);

  [[nodiscard]] bool is_loopback() const;
  // Whom the address was given to: itself, or its network of 64 bits where it is an IPv6 one.
  [[nodiscard]] IpAddress customer() const;
  // As IPv6, in the order of the network.
  [[nodiscard]] const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  friend class AddressRange;
  std::array<std::uint8_t, 16> bytes_{};
};

class AddressRange {
 public:
  // "10.0.0.0/8", "2001:db8::/32", or a single address. nullopt where it is none of these.
  static std::optional<AddressRange> parse(std::string_view text);
  [[nodiscard]] bool contains(const IpAddress& address) const;

 private:
  IpAddress base_;
  unsigned length_ = 128;  // leading bits that count, of the 128
};

}  // namespace portail
