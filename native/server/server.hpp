// The listening server. cpp-httplib listens and accepts; what travels on a connection is read and written by
// native/http/, because cpp-httplib's own parser decodes targets and header values, answers methods it does not know,
// and reads on after a bad request. A few workers serve all connections: one that waits for its peer holds none of
// them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <expected>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <httplib.h>

#include "native/http/tls.hpp"
#include "native/server/address_range.hpp"
#include "native/server/admission.hpp"
#include "native/server/event_poll.hpp"
#include "native/server/open_connection.hpp"

namespace portail {

struct ServerOptions {
  std::string address;  // a literal IP address
  int port = 0;         // 0: any free one
  std::optional<TlsContext> tls;
  std::vector<AddressRange> trusted_proxies;  // exempt from the limit for one address
  std::size_t workers = 32;                   // requests that are worked on at the same time
  AdmissionLimits connections;
};

class Server final : private httplib::Server {
 public:
  // `host` outlives the server.
  Server(ServerOptions options, const Host& host);

  // Takes the address; connections wait from then on. The port, or one line for the operator.
  std::expected<int, std::string> listen();
  // Accepts and serves until stop(); returns when every request that was accepted is answered. False: accepting failed.
  bool serve();

  // From now on readiness is false and each connection ends after its next answer. Any thread.
  void drain() { draining_ = true; }
  // Accepts no more, and ends the connections that are between requests. Any thread; after listen().
  void stop();

 private:
  // What cpp-httplib does with an accepted socket.
  bool process_and_close_socket(socket_t socket) override;
  [[nodiscard]] OpenConnection::Origin origin_of(int socket) const;

  // What a worker does until the server ends.
  void work();
  void proceed(OpenConnection& connection);
  void end_late_connections();

  ServerOptions options_;
  const Host& host_;
  EventPoll poll_;
  std::atomic<bool> draining_ = false;
  std::atomic<bool> stopping_ = false;
  std::mutex mutex_;                                     // for what follows; what a connection does is its worker's
  std::unordered_map<int, OpenConnection> connections_;  // by socket
  Admission admission_;
  std::condition_variable none_left_;
};

}  // namespace portail
