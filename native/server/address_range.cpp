#include "native/server/address_range.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace portail::server {
namespace {

constexpr std::array<std::uint8_t, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr unsigned mapped_prefix_bits = 96;

}  // namespace

std::optional<IpAddress> IpAddress::parse(const std::string& text) {
  IpAddress address;
  if (inet_pton(AF_INET6, text.c_str(), address.bytes_.data()) == 1) return address;
  if (inet_pton(AF_INET, text.c_str(), address.bytes_.data() + mapped_prefix.size()) != 1) return std::nullopt;
  std::ranges::copy(mapped_prefix, address.bytes_.begin());
  return address;
}

std::optional<IpAddress> IpAddress::of_peer(int socket) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return std::nullopt;
  IpAddress address;
  if (peer.ss_family == AF_INET6) {
    std::memcpy(address.bytes_.data(), &reinterpret_cast<const sockaddr_in6*>(&peer)->sin6_addr, 16);
  } else if (peer.ss_family == AF_INET) {
    std::ranges::copy(mapped_prefix, address.bytes_.begin());
    std::memcpy(address.bytes_.data() + mapped_prefix.size(), &reinterpret_cast<const sockaddr_in*>(&peer)->sin_addr,
                4);
  } else {
    return std::nullopt;
  }
  return address;
}

bool IpAddress::is_loopback() const {
  static const AddressRange ipv4 = *AddressRange::parse("127.0.0.0/8");
  static const AddressRange ipv6 = *AddressRange::parse("::1");
  return ipv4.contains(*this) || ipv6.contains(*this);
}

IpAddress IpAddress::client_prefix() const {
  if (std::ranges::equal(mapped_prefix, std::span(bytes_).first<mapped_prefix.size()>())) return *this;
  IpAddress network;
  std::ranges::copy(std::span(bytes_).first<8>(), network.bytes_.begin());
  return network;
}

std::optional<AddressRange> AddressRange::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto base = IpAddress::parse(std::string(text.substr(0, slash)));
  if (!base) return std::nullopt;
  AddressRange range;
  range.base_ = *base;
  if (slash == std::string_view::npos) return range;
  const bool is_ipv4 = text.substr(0, slash).find(':') == std::string_view::npos;
  const std::string_view digits = text.substr(slash + 1);
  unsigned length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (error != std::errc{} || end != digits.data() + digits.size() || length > (is_ipv4 ? 32u : 128u)) {
    return std::nullopt;
  }
  range.prefix_length_ = length + (is_ipv4 ? mapped_prefix_bits : 0);
  return range;
}

bool AddressRange::contains(const IpAddress& address) const {
  const std::size_t whole_bytes = prefix_length_ / 8;
  if (!std::equal(address.bytes_.begin(), address.bytes_.begin() + static_cast<std::ptrdiff_t>(whole_bytes),
                  base_.bytes_.begin())) {
    return false;
  }
  const unsigned remaining_bits = prefix_length_ % 8;
  if (remaining_bits == 0) return true;
  return ((address.bytes_[whole_bytes] ^ base_.bytes_[whole_bytes]) >> (8 - remaining_bits)) == 0;
}

}  // namespace portail::server
