#include "native/server/open_connection.hpp"

#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include "native/http/socket_stream.hpp"

namespace portail {
namespace {

std::unique_ptr<ByteStream> stream_over(int socket, const TlsContext* tls) {
  if (tls) return std::make_unique<TlsStream>(*tls, socket);
  return std::make_unique<SocketStream>(socket);
}

}  // namespace

OpenConnection::Served::Served(std::unique_ptr<ByteStream> bytes, const Host& host, Peer peer, ConnectionState state,
                               WaitingPlace& place)
    : stream(std::move(bytes)), connection(host, *stream, parking, peer, state, &place), task(connection.serve()) {}

OpenConnection::OpenConnection(Descriptor socket, Origin origin, std::shared_ptr<const TlsContext> tls, EventPoll& poll)
    : Queued({.address = origin.address.customer(), .connection = origin.trusted_proxy ? socket.number() : 0}),
      poll_(poll),
      socket_(std::move(socket)),
      origin_(origin),
      tls_(std::move(tls)),
      deadline_(accepted_at_ + Connection::longest_handshake_time) {}

OpenConnection::~OpenConnection() {
  if (served_ && !served_->connection.answers_are_whole()) {
    // A reset says that the answer is not whole even to a client that reads to the end of the connection.
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  } else if (served_) {
    served_->stream->finish();
  }
}

bool OpenConnection::begin() { return poll_.add(socket(), *this); }

bool OpenConnection::run(const Host& host, const std::atomic<bool>& draining, const std::atomic<bool>& stopping,
                         LoadShedding& load, LoadShedding::Duration waited) {
  waited_ = waited;
  deadline_ = Deadline::max();
  if (!served_) {
    Peer peer{.scheme_is_https = tls_ != nullptr,
              .forwarding_trusted = origin_.trusted_proxy,
              .claimant = number_of(claimant())};
    if (!origin_.trusted_proxy) peer.address = origin_.address;
    served_.emplace(
        stream_over(socket(), tls_.get()), host, peer,
        ConnectionState{.draining = draining, .stopping = stopping, .idle = idle_, .waited = waited_, .load = load},
        static_cast<WaitingPlace&>(*this));
    served_->task.start([](void*) {}, nullptr);
  } else {
    served_->parking.resume();
  }
  if (served_->task.done() || !served_->parking.is_taken()) return false;
  awaited_ = served_->parking.what();
  deadline_ = served_->parking.deadline();
  return true;
}

bool OpenConnection::await_event() {
  const Parking::For what = awaited_;
  if (what == Parking::For::reading || what == Parking::For::writing) {
    return poll_.watch(socket(), *this, what == Parking::For::writing);
  }
  if (what == Parking::For::turn) {
    poll_.report(*this);
  } else if (Wake none = Wake::none; !wake_.compare_exchange_strong(none, Wake::awaited)) {
    poll_.report(*this);  // it came before
  } else if (given_up_) {
    wake();  // break_off() may have come before suspend()
  }
  return true;
}

std::size_t OpenConnection::occupied() const {
  return awaited_ == Parking::For::writing ? served_->connection.occupied() : 0;
}

// A connection that waits to read may have got something in this moment: it still reads that, and answers.
void OpenConnection::end_if_late(Deadline now) {
  const Parking::For what = awaited_;
  if (deadline_.load() > now) return;
  if (what == Parking::For::wake) return wake();
  shutdown(socket(), what == Parking::For::writing ? SHUT_RDWR : SHUT_RD);
}

void OpenConnection::end_if_idle() {
  if (idle_) shutdown(socket(), SHUT_RD);
}

void OpenConnection::break_off() {
  given_up_ = true;
  shutdown(socket(), SHUT_RDWR);
  wake();
}

void OpenConnection::suspend(std::coroutine_handle<> coroutine, Deadline until) {
  wake_ = Wake::none;
  served_->parking.park(coroutine, Parking::For::wake, until);
}

void OpenConnection::wake() {
  if (wake_.exchange(Wake::came) == Wake::awaited) poll_.report(*this);
}

}  // namespace portail
