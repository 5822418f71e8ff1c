#include "native/stores/postgres/postgres_place.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace portail {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

// In numbers; none where the system knows the name not, or it is none.
std::vector<std::string> addresses_of(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  if (host.starts_with('/') || getaddrinfo(host.c_str(), nullptr, &wanted, &first) != 0) return {};
  const std::unique_ptr<addrinfo, FreeAddresses> list(first);
  std::vector<std::string> addresses;
  for (const addrinfo* each = list.get(); each; each = each->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(each->ai_addr, each->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text.data());
    }
  }
  return addresses;
}

std::string value_of(const PostgresUrl& url, std::string_view keyword) {
  const auto found = std::ranges::find(url.parameters, keyword, [](const auto& each) { return each.first; });
  return found == url.parameters.end() ? std::string() : found->second;
}

// Takes the first of "a,b" away.
std::string_view take_first(std::string_view& list) {
  const std::string_view first = list.substr(0, list.find(','));
  list.remove_prefix(std::min(first.size() + 1, list.size()));
  return first;
}

}  // namespace

std::vector<PostgresPlace> places_of(const PostgresUrl& url) {
  const std::string hosts = value_of(url, "host");
  const std::string ports = value_of(url, "port");
  const bool one_port = !ports.contains(',');
  std::string_view other_ports = ports;
  std::vector<PostgresPlace> places;
  for (const auto part : std::views::split(hosts, ',')) {
    const std::string host{std::string_view(part)};
    const std::string port(one_port ? std::string_view(ports) : take_first(other_ports));
    const auto addresses = addresses_of(host);
    if (addresses.size() > 1) {
      for (const std::string& address : addresses) places.push_back({.host = host, .address = address, .port = port});
    } else {
      places.push_back({.host = host, .address = {}, .port = port});
    }
  }
  return places;
}

std::string joined(const std::vector<PostgresPlace>& places, std::string PostgresPlace::* part) {
  std::string text;
  for (const PostgresPlace& place : places) {
    if (&place != &places.front()) text += ',';
    text += place.*part;
  }
  return text;
}

}  // namespace portail
