#include "native/stores/postgres/postgres_url.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <expected>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <libpq-fe.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/http/target.hpp"
#include "native/stores/url_faults.hpp"

namespace portail::postgres {
namespace {

std::string home() {
  if (const char* const directory = std::getenv("HOME"); directory && *directory != '\0') return directory;
  std::array<char, 4096> texts{};
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(geteuid(), &entry, texts.data(), texts.size(), &found);
  return found ? found->pw_dir : "";
}

// A home of root is not foreign: images of containers have no other owner. For root, who reads all files, none is.
bool is_foreign_home(const std::string& directory) {
  struct stat status{};
  const uid_t user = geteuid();
  return user != 0 && stat(directory.c_str(), &status) == 0 && status.st_uid != user && status.st_uid != 0;
}

bool is_foreign_file(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return errno != ENOENT && errno != ENOTDIR;
  return status.st_uid != geteuid() && eaccess(path.c_str(), R_OK) != 0;
}

struct DefaultFile {
  const char* keyword;
  const char* variable;
  const char* path;          // in the home directory
  bool is_identity = false;  // of the home's user; other files only make connections stricter
};

}  // namespace

std::vector<const char*> foreign_files(const Url& url) {
  static constexpr std::array<DefaultFile, 5> files{{
      {.keyword = "passfile", .variable = "PGPASSFILE", .path = "/.pgpass", .is_identity = true},
      {.keyword = "sslcert", .variable = "PGSSLCERT", .path = "/.postgresql/postgresql.crt", .is_identity = true},
      {.keyword = "sslcert", .variable = "PGSSLCERT", .path = "/.postgresql/postgresql.key", .is_identity = true},
      {.keyword = "sslrootcert", .variable = "PGSSLROOTCERT", .path = "/.postgresql/root.crt"},
      {.keyword = "sslcrl", .variable = "PGSSLCRL", .path = "/.postgresql/root.crl"},
  }};
  std::vector<const char*> foreign;
  const std::string directory = home();
  const bool is_foreign = is_foreign_home(directory);
  const bool names_key = !url.value("sslkey", "PGSSLKEY", "").empty();
  for (const auto& [keyword, variable, path, is_identity] : files) {
    if (!url.value(keyword, variable, "").empty() || (names_key && keyword == std::string_view("sslcert"))) continue;
    if ((is_foreign && is_identity) || is_foreign_file(directory + path)) foreign.push_back(keyword);
  }
  return foreign;
}

std::string ignored_root_fault() {
  return "the root certificate file " + home() +
         "/.postgresql/root.crt, in HOME, is another user's and cannot be read; set sslrootcert";
}

std::string passfile_fault(const Url& url) {
  if (!url.value("password", "PGPASSWORD", "").empty()) return {};
  const std::string configured = url.value("passfile", "PGPASSFILE", "");
  const std::string file = configured.empty() ? home() + "/.pgpass" : configured;
  const std::string prefix = "the password file " + file;
  struct stat status{};
  if (configured.empty() && (is_foreign_home(home()) || is_foreign_file(file))) return {};
  if (stat(file.c_str(), &status) != 0) return configured.empty() ? "" : prefix + ": " + std::strerror(errno);
  if (!S_ISREG(status.st_mode)) return prefix + " is not a regular file";
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return prefix + " must be accessible by its owner only; run chmod 600 on it";
  if (access(file.c_str(), R_OK) != 0) return prefix + ": " + std::strerror(errno);
  return {};
}

namespace {

// The parameters of libpq that the URL may have.
constexpr std::array<std::string_view, 12> libpq_parameters = {
    "application_name", "channel_binding", "connect_timeout", "gssencmode",           "load_balance_hosts", "sslcert",
    "sslkey",           "sslmode",         "sslrootcert",     "target_session_attrs", "tcp_user_timeout",   "passfile"};

// Without a timeout, an address that does not respond would prevent all others from being tried.
bool is_valid_connect_timeout(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= 1 && value <= 10;
}

// Returns which character of the user or password must be written in another way, and how; empty if none.
std::string misplaced_character(std::string_view text) {
  if (std::string fault = misplaced_separator(text); !fault.empty()) return fault;
  const std::string_view authority = text.substr(0, text.find_first_of("/?"));
  if (std::ranges::count(authority, '@') > 1) return "an @ in the user or password must be written as %40";
  const std::string_view user = authority.substr(0, authority.contains('@') ? authority.find('@') : 0);
  for (std::size_t i = user.find('%'); i != std::string_view::npos; i = user.find('%', i + 1)) {
    if (!percent_decoded(user, i)) return "a % in the user or password must be written as %25";
  }
  return {};
}

std::unexpected<std::string> invalid(std::string_view what) {
  return std::unexpected("the store postgres: " + std::string(what) +
                         ": postgres://[USER@]HOST[:PORT][,HOST...]/DATABASE[?NAME=VALUE&...]");
}

bool is_host_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view(".-_:%/,").contains(c);
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns whether the text is NAME or SCHEMA.NAME, and needs no quotes in SQL.
bool is_table_name(std::string_view text) {
  if (text.empty() || text.size() > 127 || std::ranges::count(text, '.') > 1) return false;
  return std::ranges::all_of(std::views::split(text, '.'), [](const auto& part) {
    const std::string_view word(part);
    return !word.empty() && !is_digit(word.front()) &&
           std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z'); });
  });
}

// Sets the portal's own parameters; returns those of libpq: "?sslmode=verify-full".
std::expected<std::string, std::string> parse_own_parameters(std::string_view query, Url& url) {
  std::string others;
  for (const auto part : std::views::split(query, '&')) {
    const std::string_view parameter(part);
    const std::string_view name = parameter.substr(0, parameter.find('='));
    const std::string_view value = parameter.substr(std::min(name.size() + 1, parameter.size()));
    if (name == "table") {
      if (!is_table_name(value)) return invalid("table must be NAME or SCHEMA.NAME, of a-z, 0-9 and _");
      url.table = value;
    } else if (name == "pool") {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), url.pool);
      if (error != std::errc{} || end != value.data() + value.size() || url.pool < Url::min_pool ||
          url.pool > Url::max_pool) {
        return invalid("pool must be between 4 and 1000");
      }
    } else if (name == "connect_timeout" && !is_valid_connect_timeout(value)) {
      return invalid("connect_timeout must be between 1 and 10 seconds");
    } else if (std::ranges::contains(libpq_parameters, name)) {
      others.append(others.empty() ? "?" : "&").append(parameter);
    } else {
      std::vector<std::string_view> known{"table", "pool"};
      known.insert(known.end(), libpq_parameters.begin(), libpq_parameters.end());
      return invalid(unknown_parameter(name, query, known));
    }
  }
  return others;
}

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

// Returns "a:5432,b:5433" for "a,b" and "5432,5433"; the default port is 5432.
std::string host_list(std::string_view hosts, std::string_view ports) {
  std::string text;
  const bool one_port = !ports.contains(',');
  for (const auto part : std::views::split(hosts, ',')) {
    const std::string_view host(part);
    const std::string_view port = ports.substr(0, ports.find(','));
    if (!text.empty()) text += ',';
    const bool in_brackets = host.contains(':');
    text.append(in_brackets ? "[" : "").append(host).append(in_brackets ? "]" : "");
    text.append(":").append(port.empty() ? "5432" : port);
    if (!one_port) ports.remove_prefix(std::min(port.size() + 1, ports.size()));
  }
  return text;
}

bool are_valid_ports(std::string_view text) {
  return std::ranges::all_of(std::views::split(text, ','), [](const auto& part) {
    const std::string_view port(part);
    unsigned value = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), value);
    return port.empty() || (error == std::errc{} && end == port.data() + port.size() && value >= 1 && value <= 65'535);
  });
}

}  // namespace

std::string Url::value(std::string_view keyword, const char* variable, std::string_view default_value) const {
  for (const auto& [name_in_url, text] : parameters) {
    if (name_in_url == keyword && !text.empty()) return text;
  }
  const char* const usual = std::getenv(variable);
  return std::string(usual && *usual != '\0' ? usual : default_value);
}

std::chrono::seconds Url::connect_timeout() const {
  return std::chrono::seconds(std::stoi(value("connect_timeout", "PGCONNECT_TIMEOUT", "2")));
}

bool Url::requires_primary() const {
  const std::string attributes = value("target_session_attrs", "PGTARGETSESSIONATTRS", "any");
  return attributes == "read-write" || attributes == "primary";
}

std::expected<Url, std::string> parse_url(std::string_view text) {
  if (!text.starts_with("//")) return invalid("the host is missing");
  if (const std::string fault = misplaced_character(text.substr(2)); !fault.empty()) return invalid(fault);
  Url url;
  const std::size_t query = text.find('?');
  std::string address = "postgres:" + std::string(text.substr(0, query));
  if (query != std::string_view::npos) {
    auto others = parse_own_parameters(text.substr(query + 1), url);
    if (!others) return std::unexpected(std::move(others.error()));
    address += *others;
  }
  if (const char* const usual = std::getenv("PGCONNECT_TIMEOUT");
      usual && *usual != '\0' && !is_valid_connect_timeout(usual)) {
    return std::unexpected("the store postgres: PGCONNECT_TIMEOUT must be between 1 and 10 seconds");
  }
  // libpq's message is not reported: it may contain parts of the URL.
  const std::unique_ptr<PQconninfoOption, FreeOptions> options(PQconninfoParse(address.c_str(), nullptr));
  if (!options) return invalid("invalid URL");
  std::string_view hosts;
  std::string_view ports;
  std::string_view database;
  for (const PQconninfoOption* option = options.get(); option->keyword; ++option) {
    if (!option->val) continue;
    const std::string_view keyword = option->keyword;
    url.parameters.emplace_back(keyword, option->val);
    if (keyword == "host") hosts = option->val;
    if (keyword == "port") ports = option->val;
    if (keyword == "dbname") database = option->val;
  }
  if (hosts.empty() || !std::ranges::all_of(hosts, is_host_character)) {
    return invalid("the host is missing or invalid");
  }
  if (!are_valid_ports(ports)) return invalid("the port must be between 1 and 65535");
  if (database.empty()) return invalid("the database is missing");
  if (database.contains('@') || database.contains('/')) return invalid("the database name must not contain @ or /");
  url.name = "postgres://" + host_list(hosts, ports) + '/' + std::string(database);
  return url;
}

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
