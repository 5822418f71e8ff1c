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

#include "native/stores/postgres/postgres_passfile.hpp"
#include "native/stores/postgres/postgres_place.hpp"

namespace portail {
namespace {

constexpr std::size_t max_line = 500;                           // bytes, of what a server says
constexpr std::size_t max_greeting = std::size_t{1024} * 1024;  // bytes, until the login is complete
constexpr std::size_t max_unasked = std::size_t{64} * 1024;     // bytes, while it is asked nothing

PostgresFault too_much() { return {.text = "it sends more than any answer has", .lost = true}; }

// libpq's messages, without the lines that only give advice; their beginning, where they are long.
std::string one_line(std::string_view message) {
  std::string line;
  for (const auto part : std::views::split(message, '\n')) {
    const std::string_view text(part);
    if (text.empty() || text.starts_with('\t')) continue;
    if (!line.empty()) line += "; ";
    line += text.substr(0, max_line);
    if (line.size() < max_line) continue;
    std::size_t end = max_line;
    while (end > 0 && (static_cast<unsigned char>(line[end - 1]) & 0xC0U) == 0x80U) --end;  // no half of a character
    return line.substr(0, end > 0 ? end - 1 : 0) + "…";
  }
  return line.empty() ? "it gives no reason" : line;
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

// By its class (docs of PostgreSQL, appendix A).
PostgresFault fault_of(const PGresult& result) {
  const std::string_view code = field(result, PG_DIAG_SQLSTATE);
  if (code.empty()) return {.text = one_line(PQresultErrorMessage(&result)), .lost = true};
  PostgresFault fault{.text = one_line(field(result, PG_DIAG_MESSAGE_PRIMARY)) + " (" + std::string(code) + ')'};
  if (code == "XX001" || code == "XX002") fault.failure = Failure::corrupt;
  fault.may_be_again = code == "40001" || code == "40P01";
  fault.is_standby = code == "25006";
  fault.lost = field(result, PG_DIAG_SEVERITY_NONLOCALIZED) == "FATAL";
  return fault;
}

void say_nothing(void*, const PGresult*) {}
int do_nothing(PGEventId, void*, void*) { return 1; }

// Never asks for the password of an encrypted key: standard input may be a document. Reports the key to the caller that
// connects.
int note_encrypted_key(char* password, int size, PGconn* connection) {
  if (auto* const is_encrypted = static_cast<bool*>(PQinstanceData(connection, do_nothing))) *is_encrypted = true;
  return PQdefaultSSLKeyPassHook_OpenSSL(password, size, connection);
}

// Begins to connect to the first of these places.
PGconn* begin(const PostgresUrl& url, const std::vector<PostgresPlace>& places) {
  const std::string hosts = joined(places, &PostgresPlace::host);
  const std::string addresses = joined(places, &PostgresPlace::address);
  const std::string ports = joined(places, &PostgresPlace::port);
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  const auto add = [&](const char* keyword, const char* value) {
    keywords.push_back(keyword);
    values.push_back(value);
  };
  // The later counts.
  add("fallback_application_name", "portail");
  // Detects a server that vanished silently: what was sent to it is never acknowledged.
  add("tcp_user_timeout", "5000");
  for (const auto& [keyword, value] : url.parameters) add(keyword.c_str(), value.c_str());
  add("host", hosts.c_str());
  add("hostaddr", addresses.c_str());
  // If no port is given, that of the environment applies.
  if (!std::ranges::all_of(ports, [](char c) { return c == ','; })) add("port", ports.c_str());
  add("client_encoding", "UTF8");
  add(nullptr, nullptr);
  return PQconnectStartParams(keywords.data(), values.data(), 0);
}

// Where it is trying to connect to.
PostgresPlace place_of(const PGconn* connection) {
  const auto text = [](const char* given) { return std::string(given ? given : ""); };
  return {.host = text(PQhost(connection)), .address = text(PQhostaddr(connection)), .port = text(PQport(connection))};
}

// Waits until connecting has ended, well or not; false where a place does not come to an end for so long, or sends too
// much.
bool has_ended(PGconn* connection, std::chrono::seconds longest) {
  using std::chrono::ceil, std::chrono::milliseconds, std::chrono::steady_clock;
  PostgresPlace place;
  PostgresReceived received;
  steady_clock::time_point end{};
  short events = POLLOUT;
  while (PQstatus(connection) != CONNECTION_BAD) {
    if (const PostgresPlace here = place_of(connection); here != place) {
      place = here;
      end = steady_clock::now() + longest;
      received.restart(max_greeting);
    }
    const auto left = ceil<milliseconds>(end - steady_clock::now());
    if (left <= milliseconds(0)) return false;
    pollfd watched{.fd = PQsocket(connection), .events = events, .revents = 0};
    const int found = poll(&watched, 1, static_cast<int>(left.count()));
    if (found == 0) return false;
    if (found < 0 && errno == EINTR) continue;
    if (received.is_too_much(PQsocket(connection))) return false;
    const PostgresPollingStatusType next = PQconnectPoll(connection);
    if (next == PGRES_POLLING_OK || next == PGRES_POLLING_FAILED) return true;
    events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
  }
  return true;
}

// What libpq has begun to say of the place that it is at: "connection to server at … failed: ".
std::string begun_line(const PGconn* connection) {
  const std::string said = PQerrorMessage(connection);
  return said.substr(said.rfind('\n') + 1);
}

// Whether it was among them.
bool leave_out(std::vector<PostgresPlace>& places, const PostgresPlace& silent) {
  const auto found = std::ranges::find_if(places, [&silent](const PostgresPlace& place) {
    return place.host == silent.host && (place.port.empty() || place.port == silent.port) &&
           (place.address.empty() || place.address == silent.address);
  });
  if (found == places.end()) return false;
  places.erase(found);
  return true;
}

}  // namespace

std::expected<PostgresConnection, PostgresFault> PostgresConnection::open(const PostgresUrl& url) {
  const auto failed = [](std::string text) {
    return std::unexpected(PostgresFault{.text = std::move(text), .lost = true});
  };
  if (std::string fault = fault_of_passfile(url); !fault.empty()) return failed(std::move(fault));
  [[maybe_unused]] static const bool asks_nobody = (PQsetSSLKeyPassHook_OpenSSL(note_encrypted_key), true);
  std::string silent;  // what is told of the places that said nothing
  for (std::vector<PostgresPlace> places = places_of(url); !places.empty();) {
    PostgresConnection made(begin(url, places));
    PGconn* const connection = made.connection_.get();
    PQsetNoticeReceiver(connection, say_nothing, nullptr);
    bool is_encrypted = false;
    PQregisterEventProc(connection, do_nothing, "portail", nullptr);
    PQsetInstanceData(connection, do_nothing, &is_encrypted);
    const bool ended = has_ended(connection, url.connect_timeout());
    PQsetInstanceData(connection, do_nothing, nullptr);
    if (ended && PQstatus(connection) == CONNECTION_OK && PQsetnonblocking(connection, 1) == 0) return made;
    if (ended) {
      if (is_encrypted) return failed("the key that sslkey names is encrypted: it must have no password");
      return failed(silent + one_line(PQerrorMessage(connection)));
    }
    silent += begun_line(connection) + "timeout expired";
    if (!leave_out(places, place_of(connection)) || places.empty()) break;
    silent += "; ";
  }
  return failed(std::move(silent));
}

PostgresFault unexpected_answer() { return {.text = "its answer is not of the form that was asked for"}; }

void PostgresReceived::restart(std::size_t max) {
  *this = PostgresReceived();
  max_ = max;
}

bool PostgresReceived::is_too_much(int socket) {
  const int turn = turns_++;
  if (turn == 1) return false;
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0) {
    if (turn == 0) at_first_ = info.tcpi_bytes_received;
    counted_ = info.tcpi_bytes_received - at_first_;
  } else {  // a Unix-domain socket: libpq has room for so much at least whenever it receives
    constexpr int least_room = 8192;
    int waiting = 0;
    if (ioctl(socket, FIONREAD, &waiting) == 0) counted_ += static_cast<std::uint64_t>(std::min(waiting, least_room));
  }
  return counted_ > max_;
}

void PostgresConnection::send(const PostgresStatement& statement) {
  result_.reset();
  received_.restart(statement.max_answer);
  PGconn* connection = connection_.get();
  if (!statement.prepared) {
    could_not_send_ = PQsendQuery(connection, statement.sql.c_str()) == 0;
    return;
  }
  std::vector<const char*> values;
  std::vector<int> lengths;
  for (const std::string& parameter : statement.parameters) {
    values.push_back(parameter.data());
    lengths.push_back(static_cast<int>(parameter.size()));
  }
  const std::vector<int> formats(values.size(), 1);
  could_not_send_ = PQsendQueryPrepared(connection, statement.prepared, static_cast<int>(values.size()), values.data(),
                                        lengths.data(), formats.data(), 1) == 0;
}

std::expected<PostgresResult, PostgresFault> PostgresConnection::advance() {
  PGconn* connection = connection_.get();
  if (could_not_send_) return std::unexpected(lost());
  const int flushed = PQflush(connection);
  has_unsent_ = flushed == 1;
  if (received_.is_too_much(socket())) return std::unexpected(too_much());
  // What the server said before it ended the connection is told rather than that it did.
  const bool received = PQconsumeInput(connection) == 1;
  bool ended = false;
  while (!ended && PQisBusy(connection) == 0) {
    PostgresResult next(PQgetResult(connection));
    ended = !next;
    // libpq gives a copy's result again and again.
    if (next && is_copy(*next)) {
      PostgresFault fault = unexpected_answer();
      fault.lost = true;
      return std::unexpected(std::move(fault));
    }
    if (next && (!result_ || !is_error(*result_))) result_ = std::move(next);
  }
  drop_notifications();
  const bool is_lost = !received || flushed < 0 || PQstatus(connection) == CONNECTION_BAD;
  if (!ended && !is_lost) return PostgresResult();
  received_.restart(max_unasked);
  if (result_ && is_error(*result_)) {
    PostgresFault fault = fault_of(*result_);
    fault.lost |= is_lost;
    return std::unexpected(std::move(fault));
  }
  if (is_lost || !result_) return std::unexpected(lost());
  return std::move(result_);
}

std::expected<PostgresResult, PostgresFault> PostgresConnection::ask(const PostgresStatement& statement,
                                                                     EngineDeadline deadline) {
  using std::chrono::ceil, std::chrono::milliseconds;
  send(statement);
  while (true) {
    auto result = advance();
    if (!result || *result) return result;
    const auto left = ceil<milliseconds>(deadline.at - std::chrono::steady_clock::now());
    // A server that sends without an end is always readable.
    if (left <= milliseconds(0)) {
      return std::unexpected(PostgresFault{.failure = deadline.when_passed, .text = "it takes too long", .lost = true});
    }
    const auto events = static_cast<short>(has_unsent() ? POLLIN | POLLOUT : POLLIN);
    pollfd watched{.fd = socket(), .events = events, .revents = 0};
    poll(&watched, 1, static_cast<int>(left.count()));
  }
}

bool PostgresConnection::is_alive() {
  if (received_.is_too_much(socket()) || PQconsumeInput(connection_.get()) != 1) return false;
  drop_notifications();
  return PQstatus(connection_.get()) == CONNECTION_OK;
}

// Reads what there is of them: libpq keeps each until it is asked for.
void PostgresConnection::drop_notifications() const {
  while (PGnotify* const notification = PQnotifies(connection_.get())) PQfreemem(notification);
}

PostgresFault PostgresConnection::lost() const {
  return {.text = "the connection was lost: " + one_line(PQerrorMessage(connection_.get())), .lost = true};
}

}  // namespace portail
