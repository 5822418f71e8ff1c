// The listening server. A few workers accept and serve all connections; a connection that waits for its peer occupies
// no worker. native/http/ has the protocol.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "native/http/tls.hpp"
#include "native/server/address_range.hpp"
#include "native/server/admission.hpp"
#include "native/server/event_poll.hpp"
#include "native/server/listener.hpp"
#include "native/server/memory_trim.hpp"
#include "native/server/open_connection.hpp"
#include "native/system/log.hpp"

namespace portail::server {

struct Options {
  std::string address;                        // a literal IP address
  int port = 0;                               // 0: any free port
  std::string_view setting = "--listen";      // the setting that has the address and port
  std::shared_ptr<const TlsContext> tls;      // null: plain HTTP
  std::vector<AddressRange> trusted_proxies;  // exempt from max_per_address
  std::size_t workers = 4;                    // maximum number of concurrently handled requests
  AdmissionLimits connections;
  std::size_t eviction_threshold =
      0;  // maximum number of connections, beyond which a new one replaces the oldest; 0: no limit
  std::chrono::seconds max_connection_age{0};  // 0: no limit
  std::size_t max_unsent_bytes = std::size_t{256}
                                 << 20;         // approximate memory of answers that clients have not received yet
  std::chrono::seconds shutdown_timeout{30};    // from stop(), for connections in use
  std::chrono::milliseconds queue_timeout{40};  // maximum time before load is shed; zero: no shedding
};

class Server {
 public:
  // `host` must outlive the server.
  Server(Options options, const Host& host);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() { poll_.stop(); }

  // Binds the address and listens. Returns the port; the error is one line for the operator.
  std::expected<int, std::string> listen();
  // Starts the workers, which accept and serve until stop() or the destructor. Call it once, after listen(). Throws
  // std::system_error if a thread cannot be started.
  std::expected<void, std::string> start();
  // Waits for stop(), or until accepting fails, and for the end of all connections; those that exceed the shutdown
  // timeout are closed. The error states why accepting failed.
  std::expected<void, std::string> wait();

  // Sets the certificate of connections accepted from now on. If it requires certificates of clients, the open
  // connections end after their current request: their authority may no longer be accepted. Returns false, without an
  // effect, if this would enable or disable TLS. Any thread.
  bool replace_certificate(std::shared_ptr<const TlsContext> tls);

  // Returns the current certificates, the own one first; none without TLS. Any thread.
  std::vector<ChainCertificate> certificates();

  // Makes readiness false, and closes each connection after its next answer. Any thread.
  void drain() { draining_ = true; }
  [[nodiscard]] bool is_draining() const { return draining_; }
  // Stops accepting, and closes idle connections; after the shutdown timeout also the others. Any thread; after
  // listen().
  void stop();

  // Queue delay and shed work. Any thread.
  [[nodiscard]] const LoadShedding& load() const { return load_; }
  // Any thread.
  [[nodiscard]] ConnectionCounts counts();

 private:
  [[nodiscard]] OpenConnection::Origin find_origin(int socket) const;

  // The loop of a worker thread.
  void run_worker();
  // Accepts pending connections and arms the next call: at the next connection, or at the next tick if the system is
  // out of resources.
  void accept_connections();
  void admit(Descriptor socket);
  // Runs the connection of an event; `queue_time` is the time that it waited for this worker.
  void on_ready(OpenConnection& connection, LoadShedding::Duration queue_time);
  // Returns whether the connection stays open.
  bool run_connection(OpenConnection& connection, LoadShedding::Duration queue_time);
  void log_shed_requests();
  void log_limited_requests();
  void log_refused_streams();
  void log_rejected_connections();
  void on_tick();
  // Approximate memory, in bytes, of connections and unsent answers. With mutex_ held.
  [[nodiscard]] std::size_t occupied() const;
  // Closes the connections that wait for their clients after the shutdown timeout. With mutex_ held.
  void abort_remaining_connections();
  // Cuts off unsent answers until they occupy at most three quarters of max_unsent_bytes.
  void abort_unsent_answers();
  // Closes the oldest connection if more than eviction_threshold are open. With mutex_ held.
  void evict_oldest_connection();
  // With accept_mutex_ held.
  void stop_accepting(std::optional<std::string> reason);

  const Options options_;
  const Host& host_;
  EventPoll poll_;
  std::atomic<bool> draining_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> unsent_bytes_ = 0;  // sum over all connections
  LoadShedding load_;

  QueueItem listener_item_{Flow{.address = {}, .connection = -1}};  // queued like a connection
  std::mutex accept_mutex_;                                         // guards the listener; locked before mutex_
  std::optional<Listener> listener_;
  bool is_accept_paused_ = false;  // until the next tick
  LogThrottle out_of_resources_warning_;
  LogThrottle register_failure_warning_;

  std::mutex mutex_;  // guards the members below; a connection is guarded by its own run_mutex()
  std::unordered_map<int, OpenConnection> connections_;  // by socket
  std::shared_ptr<const TlsContext> tls_;                // of new connections
  Admission admission_;
  std::uint64_t accepted_ = 0;
  std::uint64_t rejected_ = 0;
  CountThrottle rejected_warning_;
  LogThrottle aborted_answers_warning_;
  LogThrottle aborted_connections_warning_;
  CountThrottle shed_warning_;
  LogThrottle limited_warning_;
  std::uint64_t logged_limited_by_address_ = 0;
  std::uint64_t logged_limited_by_subject_ = 0;
  CountThrottle refused_streams_warning_;
  MemoryTrim memory_trim_;
  Deadline stop_deadline_ = Deadline::max();
  bool is_accepting_ = true;
  std::optional<std::string> accept_failure_;  // unset after stop()
  std::condition_variable state_changed_;      // is_accepting_ became false, or connections_ empty

  std::vector<std::jthread> workers_;  // the last member, because they use the others
};

// A server that runs on a thread of its own, beside the main one. One thread starts and ends it.

class BackgroundServer {
 public:
  // `host` must outlive this.
  BackgroundServer(Options options, const Host& host) : server_(std::move(options), host) {}
  BackgroundServer(const BackgroundServer&) = delete;
  BackgroundServer& operator=(const BackgroundServer&) = delete;
  // Stops the server and waits for its end.
  ~BackgroundServer() { server_.stop(); }

  // Starts serving; call it once. Returns the port, or an error message. If accepting fails later, the thread calls
  // `on_failure` with the reason.
  std::expected<int, std::string> start(std::function<void(const std::string& reason)> on_failure);
  // As Server::replace_certificate. Any thread.
  bool replace_certificate(std::shared_ptr<const TlsContext> tls) {
    return server_.replace_certificate(std::move(tls));
  }

 private:
  Server server_;
  std::jthread thread_;
};

}  // namespace portail::server
