// One accepted connection while the server has it: its socket, and the coroutine that serves it once its peer has sent
// something. At any moment either one worker runs it, or it waits: for its socket, for another thread's wake(), for its
// turn.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/waiting_place.hpp"
#include "core/files/descriptor.hpp"
#include "native/http/tls.hpp"
#include "native/server/address_range.hpp"
#include "native/server/connection.hpp"
#include "native/server/event_poll.hpp"

namespace portail {

class OpenConnection final : public Queued, private WaitingPlace {
 public:
  struct Origin {
    IpAddress address;
    bool trusted_proxy = false;
  };

  // The first bytes must come within Connection::longest_handshake_time. `tls` is null where the server speaks in
  // clear. `poll` outlives it.
  OpenConnection(Descriptor socket, Origin origin, std::shared_ptr<const TlsContext> tls, EventPoll& poll);
  // Closes it.
  ~OpenConnection() override;
  OpenConnection(const OpenConnection&) = delete;
  OpenConnection& operator=(const OpenConnection&) = delete;

  // Has the poll report it when its peer sends something; false where the machine has no room for that. Once.
  bool begin();
  // Runs it until it waits (true) or has ended. By the thread that got its event; from its return until the next event,
  // only what follows may be called.
  bool run(const Host& host, const std::atomic<bool>& draining, const std::atomic<bool>& stopping, LoadShedding& load,
           LoadShedding::Duration waited);
  // Whether its peer has just begun a handshake. By the same thread, before run().
  [[nodiscard]] bool begins_tls() const { return tls_ != nullptr && !served_; }
  // Has the poll report it when what it waits for is there; false where the system cannot, and then no other thread has
  // the connection. By the thread that ran it, and last.
  bool await_event();
  // Held while it runs, and until await_event() has returned: the next worker sees all that this one did.
  [[nodiscard]] std::mutex& running() { return running_; }
  [[nodiscard]] int socket() const { return socket_.number(); }
  [[nodiscard]] const Origin& origin() const { return origin_; }
  [[nodiscard]] Deadline accepted_at() const { return accepted_at_; }
  // Bytes of memory that the answer occupies which waits for its client, about. By the thread that ran it.
  [[nodiscard]] std::size_t occupied() const;
  // Until when it waits; the last moment there is while a worker runs it.
  [[nodiscard]] Deadline deadline() const { return deadline_; }

  // Any thread, while the connection exists: ends the side of the socket that it waits for, so that it goes on and
  // ends; wakes one that waits for that.
  void end_if_late(Deadline now);
  void end_if_idle();
  // Any thread, while the connection exists: its answer ends here.
  void break_off();
  [[nodiscard]] bool is_broken_off() const { return given_up_; }

  // Bytes of memory of an answer that waits for its client; what the server keeps of them for its sum. Any thread,
  // while the connection exists.
  [[nodiscard]] std::atomic<std::size_t>& unsent() { return unsent_; }

 private:
  struct Served {
    Served(std::unique_ptr<ByteStream> bytes, const Host& host, Peer peer, ConnectionState state, WaitingPlace& place);
    std::unique_ptr<ByteStream> stream;
    Parking parking;
    Connection connection;
    Task<void> task;
  };

  // The thread that moves it from `awaited` to `came` has the connection reported.
  enum class Wake : std::uint8_t { none, awaited, came };

  void suspend(std::coroutine_handle<> coroutine, Deadline until) override;
  void wake() override;
  [[nodiscard]] bool is_given_up() const override { return is_broken_off(); }
  [[nodiscard]] std::uint64_t client() const override { return served_->connection.client(); }

  EventPoll& poll_;
  std::mutex running_;
  Descriptor socket_;
  Origin origin_;
  std::shared_ptr<const TlsContext> tls_;
  const Deadline accepted_at_ = std::chrono::steady_clock::now();
  std::atomic<bool> idle_ = true;
  std::atomic<Parking::For> awaited_ = Parking::For::reading;
  std::atomic<Wake> wake_ = Wake::none;
  std::atomic<bool> given_up_ = false;
  std::atomic<std::size_t> unsent_ = 0;
  std::atomic<Deadline> deadline_;
  LoadShedding::Duration waited_{};
  std::optional<Served> served_;
};

}  // namespace portail
