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

OpenConnection::Served::Served(std::unique_ptr<ByteStream> bytes, const Host& host, Peer peer, ConnectionState state)
    : stream(std::move(bytes)), connection(host, *stream, parking, peer, state), task(connection.serve()) {}

OpenConnection::OpenConnection(Descriptor socket, Origin origin, std::shared_ptr<const TlsContext> tls)
    : socket_(std::move(socket)),
      origin_(origin),
      tls_(std::move(tls)),
      deadline_(std::chrono::steady_clock::now() + Connection::longest_handshake_time) {}

OpenConnection::~OpenConnection() {
  if (served_ && !served_->connection.answers_are_whole()) {
    // A reset says that the answer is not whole even to a client that reads to the end of the connection.
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  } else if (served_) {
    served_->stream->finish();
  }
}

bool OpenConnection::run(const Host& host, const std::atomic<bool>& draining, const std::atomic<bool>& stopping) {
  deadline_ = Deadline::max();
  if (!served_) {
    const Peer peer{.scheme_is_https = tls_ != nullptr, .forwarding_trusted = origin_.trusted_proxy};
    served_.emplace(stream_over(socket(), tls_.get()), host, peer,
                    ConnectionState{.draining = draining, .stopping = stopping, .idle = idle_});
    served_->task.start([](void*) {}, nullptr);
  } else {
    served_->parking.resume();
  }
  if (served_->task.done() || !served_->parking.is_taken()) return false;
  writing_ = served_->parking.for_writing();
  deadline_ = served_->parking.deadline();
  return true;
}

bool OpenConnection::waits_to_write() const { return writing_; }

std::size_t OpenConnection::occupied() const { return writing_ ? served_->connection.occupied() : 0; }

// A connection that waits to read may have got something in this moment: it still reads that, and answers.
void OpenConnection::end_if_late(Deadline now) {
  if (deadline_.load() <= now) shutdown(socket(), writing_ ? SHUT_RDWR : SHUT_RD);
}

void OpenConnection::end_if_idle() {
  if (idle_) shutdown(socket(), SHUT_RD);
}

void OpenConnection::break_off() { shutdown(socket(), SHUT_RDWR); }

}  // namespace portail
