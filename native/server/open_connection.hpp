// One accepted connection: its socket, and the coroutine that serves it from the first byte on. At any time either one
// worker runs it, or it waits for its socket, for wake() or for its turn.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/context.hpp"
#include "core/storage/folder/descriptor.hpp"
#include "native/http/tls.hpp"
#include "native/server/address_range.hpp"
#include "native/server/connection.hpp"
#include "native/server/event_poll.hpp"

namespace portail::server {

class OpenConnection final : public QueueItem, private RequestSuspension {
 public:
  struct Origin {
    IpAddress address;
    bool trusted_proxy = false;
  };

  // The first bytes must arrive within Connection::handshake_timeout. `tls` is null for plain HTTP. `poll` must outlive
  // this.
  OpenConnection(Descriptor socket, Origin origin, std::shared_ptr<const TlsContext> tls, EventPoll& poll);
  // Closes the socket.
  ~OpenConnection() override;
  OpenConnection(const OpenConnection&) = delete;
  OpenConnection& operator=(const OpenConnection&) = delete;

  // Registers the socket with the poll; false, with errno, if the system refuses. Call once.
  bool register_socket();
  // Runs the connection until it waits (true) or has ended (false). Only the thread that received its event may call
  // this, and after it, until the next event, only the members below.
  bool run(const Host& host, const std::atomic<bool>& draining, const std::atomic<bool>& stopping, LoadShedding& load,
           LoadShedding::Duration queue_time);
  // Whether the peer is about to begin a TLS handshake. Same thread, before run().
  [[nodiscard]] bool is_before_handshake() const { return tls_ != nullptr && !session_; }
  // Arms the poll for the awaited event. Returns false if the system refuses; then no other thread has the connection.
  // Same thread, and its last call.
  bool rearm();
  // Held during run() and until rearm() has returned, so that the next worker sees all writes of this one.
  [[nodiscard]] std::mutex& run_mutex() { return run_mutex_; }
  [[nodiscard]] int socket() const { return socket_.number(); }
  [[nodiscard]] const Origin& origin() const { return origin_; }
  [[nodiscard]] Deadline accepted_at() const { return accepted_at_; }
  // Approximate memory, in bytes, of the answer that waits for the client. Same thread as run().
  [[nodiscard]] std::size_t occupied() const;
  // The deadline of the wait; Deadline::max() while a worker runs the connection.
  [[nodiscard]] Deadline deadline() const { return deadline_; }

  // Ends the wait if its deadline has passed: shuts the awaited side of the socket down, or wakes the coroutine. Any
  // thread, while the connection exists.
  void expire_if_due(Deadline now);
  // Shuts the receiving side down between two requests. Any thread, while the connection exists.
  void shut_down_if_idle();
  // Ends the connection after the answer to the request whose head was read. Any thread, while the connection exists.
  void end_after_answer();
  // Closes the connection in the middle of its answer. Any thread, while the connection exists.
  void abort();
  [[nodiscard]] bool is_aborted() const { return is_aborted_; }

  // Memory, in bytes, of an answer that waits for the client, as the server has added it to its total. Any thread,
  // while the connection exists.
  [[nodiscard]] std::atomic<std::size_t>& unsent_bytes() { return unsent_bytes_; }

 private:
  struct Session {
    Session(std::unique_ptr<ByteStream> bytes, const Host& host, Peer peer, ConnectionState state,
            RequestSuspension& request_suspension);
    std::unique_ptr<ByteStream> stream;
    ConnectionSuspension suspension;
    Connection connection;
    Task<void> task;
  };

  // The thread that changes `waiting` to `woken` submits the connection to the poll.
  enum class WakeState : std::uint8_t { none, waiting, woken };

  void suspend(std::coroutine_handle<> coroutine, Deadline until) override;
  void wake() override;
  [[nodiscard]] bool is_cancelled() const override { return is_aborted(); }
  [[nodiscard]] std::uint64_t client() const override { return session_->connection.client(); }

  EventPoll& poll_;
  std::mutex run_mutex_;
  Descriptor socket_;
  Origin origin_;
  std::shared_ptr<const TlsContext> tls_;
  const Deadline accepted_at_ = std::chrono::steady_clock::now();
  std::atomic<bool> idle_ = true;
  std::atomic<bool> ending_ = false;
  std::atomic<ConnectionSuspension::Event> awaited_event_ = ConnectionSuspension::Event::readable;
  std::atomic<WakeState> wake_state_ = WakeState::none;
  std::atomic<bool> is_aborted_ = false;
  std::atomic<std::size_t> unsent_bytes_ = 0;
  std::atomic<Deadline> deadline_;
  LoadShedding::Duration queue_time_{};
  std::optional<Session> session_;
};

}  // namespace portail::server
