#include "native/stores/postgres/postgres_addresses.hpp"

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

namespace portail::postgres {
namespace {

struct FreeAddresses {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};

// Returns the numeric addresses of the host; empty if it cannot be resolved or is a directory.
std::vector<std::string> resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* first = nullptr;
  if (host.starts_with('/') || getaddrinfo(host.c_str(), nullptr, &hints, &first) != 0) return {};
  const std::unique_ptr<addrinfo, FreeAddresses> list(first);
  std::vector<std::string> addresses;
  for (const addrinfo* entry = list.get(); entry; entry = entry->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (getnameinfo(entry->ai_addr, entry->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text.data());
    }
  }
  return addresses;
}

std::string value_of(const Url& url, std::string_view keyword) {
  const auto found = std::ranges::find(url.parameters, keyword, [](const auto& entry) { return entry.first; });
  return found == url.parameters.end() ? std::string() : found->second;
}

// Removes and returns the first element of "a,b".
std::string_view split_first(std::string_view& list) {
  const std::string_view first = list.substr(0, list.find(','));
  list.remove_prefix(std::min(first.size() + 1, list.size()));
  return first;
}

}  // namespace

std::vector<ServerAddress> server_addresses(const Url& url) {
  const std::string hosts = value_of(url, "host");
  const std::string ports = value_of(url, "port");
  const bool one_port = !ports.contains(',');
  std::string_view other_ports = ports;
  std::vector<ServerAddress> addresses;
  for (const auto part : std::views::split(hosts, ',')) {
    const std::string host{std::string_view(part)};
    const std::string port(one_port ? std::string_view(ports) : split_first(other_ports));
    const auto resolved = resolve(host);
    if (resolved.size() > 1) {
      for (const std::string& address : resolved) addresses.push_back({.host = host, .address = address, .port = port});
    } else {
      addresses.push_back({.host = host, .address = {}, .port = port});
    }
  }
  return addresses;
}

std::string join(const std::vector<ServerAddress>& addresses, std::string ServerAddress::* part) {
  std::string text;
  for (const ServerAddress& address : addresses) {
    if (&address != &addresses.front()) text += ',';
    text += address.*part;
  }
  return text;
}

}  // namespace portail::postgres
