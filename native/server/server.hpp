// The listening server. A few workers accept and serve all connections: one that waits for its peer holds none of them.
// What travels on a connection is read and written by native/http/.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "native/host/once_a_minute.hpp"
#include "native/http/tls.hpp"
#include "native/server/address_range.hpp"
#include "native/server/admission.hpp"
#include "native/server/connection_counts.hpp"
#include "native/server/event_poll.hpp"
#include "native/server/freed_memory.hpp"
#include "native/server/listener.hpp"
#include "native/server/load_shedding.hpp"
#include "native/server/open_connection.hpp"

namespace portail {

struct ServerOptions {
  std::string address;                        // a literal IP address
  int port = 0;                               // 0: any free one
  std::string_view setting = "--listen";      // by which the operator chose both
  std::shared_ptr<const TlsContext> tls;      // null: in clear
  std::vector<AddressRange> trusted_proxies;  // exempt from the limit for one address
  std::size_t workers = 4;                    // requests that are worked on at the same time
  AdmissionLimits connections;
  std::size_t max_kept = 0;                     // connections; beyond it a new one replaces the oldest; 0: no limit
  std::chrono::seconds max_connection_time{0};  // from its acceptance to its end; 0: no limit
  std::size_t most_unsent = std::size_t{256} << 20;  // bytes of memory of answers that wait for their clients
  std::chrono::seconds shutdown_timeout{30};         // from stop(), for clients that are waited for
  std::chrono::milliseconds queue_timeout{40};       // for a worker; beyond it load is shed; zero: never
};

class Server {
 public:
  // `host` outlives the server.
  Server(ServerOptions options, const Host& host);

  // Takes the address; connections wait from then on. The port, or one line for the operator.
  std::expected<int, std::string> listen();
  // Accepts and serves until stop(), or until nothing more can be accepted; returns when every request that was
  // accepted is answered, or broken off after the longest stop. An error is why nothing more could be accepted.
  std::expected<void, std::string> serve();

  // What the connections are answered with that are accepted from now on. False, and nothing is done, where the server
  // speaks in clear and `tls` does not, or the other way round. Any thread.
  bool exchange_certificate(std::shared_ptr<const TlsContext> tls);

  // Until when the certificate is valid that is in force; nothing in clear. Any thread.
  std::optional<Instant> certificate_end();

  // From now on readiness is false and each connection ends after its next answer. Any thread.
  void drain() { draining_ = true; }
  [[nodiscard]] bool is_draining() const { return draining_; }
  // Accepts no more, and ends the connections that are between requests; then, after the longest stop, those that wait
  // for their clients. Any thread; after listen().
  void stop();

  // How long what can go on waits for a worker, and what was shed for it. Any thread.
  [[nodiscard]] const LoadShedding& load() const { return load_; }
  // Any thread.
  [[nodiscard]] ConnectionCounts counts();

 private:
  [[nodiscard]] OpenConnection::Origin origin_of(int socket) const;

  // What a worker does until the server ends.
  void work();
  // Accepts the connections that wait, and arranges the next call: when another connection comes, or, if the machine
  // has no room for one, at the next tick.
  void accept_connections();
  void admit(Descriptor socket);
  // `waited`: for this worker.
  void proceed(OpenConnection& connection, LoadShedding::Duration waited);
  // Whether the connection goes on.
  bool run(OpenConnection& connection, LoadShedding::Duration waited);
  void say_what_was_shed();
  void say_who_asked_too_often();
  void log_refused_streams();
  void on_tick();
  // Bytes that connections and unsent answers occupy, about. With the lock.
  [[nodiscard]] std::size_t occupied() const;
  // Ends those that wait for their clients, where the server has waited for them long enough. With mutex_ held.
  void break_off_the_last();
  // Clients leave too much of their answers unread: some are broken off, and a quarter of the memory is free again.
  void break_off_answers();
  // The oldest connection that is not broken off yet, where more than max_kept are left. With mutex_ held.
  void break_off_the_oldest();
  // With accepting_ held.
  void stop_accepting(std::optional<std::string> reason);

  const ServerOptions options_;
  const Host& host_;
  EventPoll poll_;
  std::atomic<bool> draining_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> unsent_ = 0;  // of all connections
  LoadShedding load_;

  Queued listening_{Claimant{.address = {}, .connection = -1}};  // has its turns as others have
  std::mutex accepting_;                                         // for the listener; taken before mutex_
  std::optional<Listener> listener_;
  bool paused_ = false;  // until the next tick
  OnceAMinute no_room_;
  OnceAMinute unwatched_;

  std::mutex mutex_;                                     // for what follows; what a connection does is its worker's
  std::unordered_map<int, OpenConnection> connections_;  // by socket
  std::shared_ptr<const TlsContext> tls_;                // of the next connection
  Admission admission_;
  std::uint64_t accepted_ = 0;
  std::uint64_t turned_away_ = 0;
  OnceAMinute broken_off_;
  OnceAMinute last_broken_off_;
  OnceAMinute overloaded_;
  std::uint64_t shed_and_said_ = 0;
  OnceAMinute asked_too_often_;
  std::uint64_t of_addresses_said_ = 0;
  std::uint64_t of_subjects_said_ = 0;
  OnceAMinute streams_refused_;
  std::uint64_t logged_streams_ = 0;
  FreedMemory freed_;
  Deadline stop_by_ = Deadline::max();
  bool accepts_ = true;
  std::optional<std::string> broken_;  // why nothing more can be accepted, if no stop was requested
  std::condition_variable changed_;    // accepts_, or connections_ to none
};

}  // namespace portail
