#include "native/stores/postgres/postgres_connection.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <libpq-events.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "native/stores/postgres/postgres_url.hpp"

namespace portail::postgres {
namespace {

constexpr std::size_t max_line = 500;                                  // bytes, of a server's message
constexpr std::size_t max_login_bytes = std::size_t{1024} * 1024;      // received until the login is complete
constexpr std::size_t max_unsolicited_bytes = std::size_t{64} * 1024;  // received while no statement is in flight
constexpr const char* ignored_file = "/dev/null/none";                 // cannot exist

Fault too_large() { return {.message = "its answer is larger than expected", .connection_lost = true}; }

// Returns libpq's messages in one line, without the lines that only give advice; cut off at max_line.
std::string one_line(std::string_view message) {
  std::string line;
  for (const auto part : std::views::split(message, '\n')) {
    const std::string_view text(part);
    if (text.empty() || text.starts_with('\t')) continue;
    if (!line.empty()) line += "; ";
    line += text.substr(0, max_line);
    if (line.size() < max_line) continue;
    std::size_t end = max_line;
    while (end > 0 && (static_cast<unsigned char>(line[end - 1]) & 0xC0U) == 0x80U)
      --end;  // not within a UTF-8 character
    return line.substr(0, end > 0 ? end - 1 : 0) + "…";
  }
  return line.empty() ? "no reason given" : line;
}

std::string_view field(const PGresult& result, int code) {
  const char* text = PQresultErrorField(&result, code);
  return text ? std::string_view(text) : std::string_view();
}

bool is_error(const PGresult& result) {
  const ExecStatusType status = PQresultStatus(&result);
  return status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK;
}

bool is_copy(const PGresult& result) {
  const ExecStatusType status = PQresultStatus(&result);
  return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

// Classifies an error by its SQLSTATE (documentation of PostgreSQL, appendix A).
Fault result_fault(const PGresult& result) {
  const std::string_view code = field(result, PG_DIAG_SQLSTATE);
  if (code.empty()) return {.message = one_line(PQresultErrorMessage(&result)), .connection_lost = true};
  Fault fault{.message = one_line(field(result, PG_DIAG_MESSAGE_PRIMARY)) + " (" + std::string(code) + ')'};
  if (code == "XX001" || code == "XX002") fault.failure = Failure::corrupt;
  fault.is_retryable = code == "40001" || code == "40P01";
  fault.is_standby = code == "25006";
  fault.is_denied = code == "42501";
  fault.connection_lost = field(result, PG_DIAG_SEVERITY_NONLOCALIZED) == "FATAL";
  return fault;
}

void ignore_notice(void*, const PGresult*) {}
int ignore_event(PGEventId, void*, void*) { return 1; }

// libpq's hook for the password of an encrypted key. Never asks for it: standard input may be a document. Sets the flag
// of the caller that connects.
int report_encrypted_key(char* password, int size, PGconn* connection) {
  if (auto* const is_encrypted = static_cast<bool*>(PQinstanceData(connection, ignore_event))) *is_encrypted = true;
  return PQdefaultSSLKeyPassHook_OpenSSL(password, size, connection);
}

// Starts to connect to the first of these addresses.
PGconn* start_connecting(const Url& url, const std::vector<ServerAddress>& servers) {
  const std::string hosts = join(servers, &ServerAddress::host);
  const std::string addresses = join(servers, &ServerAddress::address);
  const std::string ports = join(servers, &ServerAddress::port);
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  const auto add = [&](const char* keyword, const char* value) {
    keywords.push_back(keyword);
    values.push_back(value);
  };
  // Of a repeated keyword the last value is used.
  add("fallback_application_name", "portail");
  // Detects a server that vanished silently: what was sent to it is never acknowledged.
  add("tcp_user_timeout", "5000");
  for (const char* const keyword : foreign_files(url)) add(keyword, ignored_file);
  for (const auto& [keyword, value] : url.parameters) add(keyword.c_str(), value.c_str());
  add("host", hosts.c_str());
  add("hostaddr", addresses.c_str());
  // If no port is given, that of the environment applies.
  if (!std::ranges::all_of(ports, [](char c) { return c == ','; })) add("port", ports.c_str());
  add("client_encoding", "UTF8");
  add(nullptr, nullptr);
  return PQconnectStartParams(keywords.data(), values.data(), 0);
}

// Returns the address that libpq is connecting to.
ServerAddress current_address(const PGconn* connection) {
  const auto text = [](const char* given) { return std::string(given ? given : ""); };
  return {.host = text(PQhost(connection)), .address = text(PQhostaddr(connection)), .port = text(PQport(connection))};
}

// Waits until connecting has succeeded or failed. Returns false if one address exceeds the timeout or max_login_bytes.
bool wait_for_connect(PGconn* connection, std::chrono::seconds timeout) {
  using std::chrono::ceil, std::chrono::milliseconds, std::chrono::steady_clock;
  ServerAddress address;
  ReceiveLimit received;
  steady_clock::time_point end{};
  short events = POLLOUT;
  while (PQstatus(connection) != CONNECTION_BAD) {
    if (const ServerAddress current = current_address(connection); current != address) {
      address = current;
      end = steady_clock::now() + timeout;
      received.restart(max_login_bytes);
    }
    const auto left = ceil<milliseconds>(end - steady_clock::now());
    if (left <= milliseconds(0)) return false;
    pollfd watched{.fd = PQsocket(connection), .events = events, .revents = 0};
    const int found = poll(&watched, 1, static_cast<int>(left.count()));
    if (found == 0) return false;
    if (found < 0 && errno == EINTR) continue;
    if (received.exceeds_limit(PQsocket(connection))) return false;
    const PostgresPollingStatusType next = PQconnectPoll(connection);
    if (next == PGRES_POLLING_OK || next == PGRES_POLLING_FAILED) return true;
    events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
  }
  return true;
}

// Returns the start of libpq's message for the current address: "connection to server at … failed: ".
std::string message_prefix(const PGconn* connection) {
  const std::string messages = PQerrorMessage(connection);
  return messages.substr(messages.rfind('\n') + 1);
}

// Removes the first address that matches `removed`; false if there is none.
bool remove_address(std::vector<ServerAddress>& addresses, const ServerAddress& removed) {
  const auto found = std::ranges::find_if(addresses, [&removed](const ServerAddress& address) {
    return address.host == removed.host && (address.port.empty() || address.port == removed.port) &&
           (address.address.empty() || address.address == removed.address);
  });
  if (found == addresses.end()) return false;
  addresses.erase(found);
  return true;
}

}  // namespace

std::expected<Connection, Fault> Connection::open(const Url& url) {
  const auto failed = [](std::string text) {
    return std::unexpected(Fault{.message = std::move(text), .connection_lost = true});
  };
  if (std::string fault = passfile_fault(url); !fault.empty()) return failed(std::move(fault));
  [[maybe_unused]] static const bool is_hook_set = (PQsetSSLKeyPassHook_OpenSSL(report_encrypted_key), true);
  std::string timeouts;  // the messages of the addresses that timed out
  for (std::vector<ServerAddress> addresses = server_addresses(url); !addresses.empty();) {
    Connection opened(start_connecting(url, addresses));
    PGconn* const connection = opened.connection_.get();
    PQsetNoticeReceiver(connection, ignore_notice, nullptr);
    bool is_encrypted = false;
    PQregisterEventProc(connection, ignore_event, "portail", nullptr);
    PQsetInstanceData(connection, ignore_event, &is_encrypted);
    const bool completed = wait_for_connect(connection, url.connect_timeout());
    PQsetInstanceData(connection, ignore_event, nullptr);
    if (completed && PQstatus(connection) == CONNECTION_OK && PQsetnonblocking(connection, 1) == 0) return opened;
    if (completed) {
      if (is_encrypted) return failed("the key that sslkey names is encrypted: it must have no password");
      const std::string reason = one_line(PQerrorMessage(connection));
      return failed(timeouts + (reason.contains(ignored_file) ? ignored_root_fault() : reason));
    }
    timeouts += message_prefix(connection) + "timeout expired";
    if (!remove_address(addresses, current_address(connection)) || addresses.empty()) break;
    timeouts += "; ";
  }
  return failed(std::move(timeouts));
}

Fault unexpected_result() { return {.message = "its answer has an unexpected format"}; }

void ReceiveLimit::restart(std::size_t max) {
  *this = ReceiveLimit();
  max_ = max;
}

bool ReceiveLimit::exceeds_limit(int socket) {
  const int check = checks_++;
  if (check == 1) return false;
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0) {
    if (check == 0) baseline_ = info.tcpi_bytes_received;
    total_ = info.tcpi_bytes_received - baseline_;
  } else {  // a Unix-domain socket: libpq's buffer has at least this room whenever it receives
    constexpr int min_buffer = 8192;
    int unread = 0;
    if (ioctl(socket, FIONREAD, &unread) == 0) total_ += static_cast<std::uint64_t>(std::min(unread, min_buffer));
  }
  return total_ > max_;
}

void Connection::send(const Statement& statement) {
  result_.reset();
  receive_limit_.restart(statement.max_response_bytes);
  PGconn* connection = connection_.get();
  if (!statement.prepared) {
    send_failed_ = PQsendQuery(connection, statement.sql.c_str()) == 0;
    return;
  }
  std::vector<const char*> values;
  std::vector<int> lengths;
  for (const std::string& parameter : statement.parameters) {
    values.push_back(parameter.data());
    lengths.push_back(static_cast<int>(parameter.size()));
  }
  const std::vector<int> formats(values.size(), 1);
  send_failed_ = PQsendQueryPrepared(connection, statement.prepared, static_cast<int>(values.size()), values.data(),
                                     lengths.data(), formats.data(), 1) == 0;
}

std::expected<Result, Fault> Connection::advance() {
  PGconn* connection = connection_.get();
  if (send_failed_) return std::unexpected(lost_connection());
  const int flushed = PQflush(connection);
  has_unsent_ = flushed == 1;
  if (receive_limit_.exceeds_limit(socket())) return std::unexpected(too_large());
  // If the server sent an error before it closed the connection, that error is reported.
  const bool received = PQconsumeInput(connection) == 1;
  bool is_complete = false;
  while (!is_complete && PQisBusy(connection) == 0) {
    Result next(PQgetResult(connection));
    is_complete = !next;
    // libpq returns the result of a COPY without end.
    if (next && is_copy(*next)) {
      Fault fault = unexpected_result();
      fault.connection_lost = true;
      return std::unexpected(std::move(fault));
    }
    if (next && (!result_ || !is_error(*result_))) result_ = std::move(next);
  }
  drop_notifications();
  const bool is_lost = !received || flushed < 0 || PQstatus(connection) == CONNECTION_BAD;
  if (!is_complete && !is_lost) return Result();
  receive_limit_.restart(max_unsolicited_bytes);
  if (result_ && is_error(*result_)) {
    Fault fault = result_fault(*result_);
    fault.connection_lost |= is_lost;
    return std::unexpected(std::move(fault));
  }
  if (is_lost || !result_) return std::unexpected(lost_connection());
  return std::move(result_);
}

std::expected<Result, Fault> Connection::execute(const Statement& statement, engine::Deadline deadline) {
  using std::chrono::ceil, std::chrono::milliseconds;
  send(statement);
  while (true) {
    auto result = advance();
    if (!result || *result) return result;
    const auto left = ceil<milliseconds>(deadline.at - std::chrono::steady_clock::now());
    // The socket of a server that sends without end is always readable.
    if (left <= milliseconds(0)) {
      return std::unexpected(Fault{.failure = deadline.on_expiry, .message = "timed out", .connection_lost = true});
    }
    const auto events = static_cast<short>(has_unsent() ? POLLIN | POLLOUT : POLLIN);
    pollfd watched{.fd = socket(), .events = events, .revents = 0};
    poll(&watched, 1, static_cast<int>(left.count()));
  }
}

bool Connection::is_alive() {
  if (receive_limit_.exceeds_limit(socket()) || PQconsumeInput(connection_.get()) != 1) return false;
  drop_notifications();
  return PQstatus(connection_.get()) == CONNECTION_OK;
}

// Frees the pending notifications: libpq keeps each one until it is read.
void Connection::drop_notifications() const {
  while (PGnotify* const notification = PQnotifies(connection_.get())) PQfreemem(notification);
}

Fault Connection::lost_connection() const {
  return {.message = "the connection was lost: " + one_line(PQerrorMessage(connection_.get())),
          .connection_lost = true};
}

}  // namespace portail::postgres
