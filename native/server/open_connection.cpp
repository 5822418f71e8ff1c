#include "native/server/open_connection.hpp"

#include <utility>

#include <sys/socket.h>
#include <unistd.h>

#include "native/http/byte_stream.hpp"

namespace portail::server {
namespace {

std::unique_ptr<ByteStream> stream_over(int socket, const TlsContext* tls) {
  if (tls) return std::make_unique<TlsStream>(*tls, socket);
  return std::make_unique<SocketStream>(socket);
}

}  // namespace

OpenConnection::Session::Session(std::unique_ptr<ByteStream> bytes, const Host& host, Peer peer, ConnectionState state,
                                 RequestSuspension& request_suspension)
    : stream(std::move(bytes)),
      connection(host, *stream, suspension, peer, state, &request_suspension),
      task(connection.serve()) {}

OpenConnection::OpenConnection(Descriptor socket, Origin origin, std::shared_ptr<const TlsContext> tls, EventPoll& poll)
    : QueueItem({.address = origin.address.client_prefix(), .connection = origin.trusted_proxy ? socket.number() : 0}),
      poll_(poll),
      socket_(std::move(socket)),
      origin_(origin),
      tls_(std::move(tls)),
      deadline_(accepted_at_ + Connection::handshake_timeout) {}

OpenConnection::~OpenConnection() {
  if (session_ && !session_->connection.is_answer_complete()) {
    // A reset shows that the answer is incomplete, even to a client that reads to the end of the connection.
    const linger reset{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  } else if (session_) {
    session_->stream->finish();
  }
}

bool OpenConnection::register_socket() { return poll_.add(socket(), *this); }

bool OpenConnection::run(const Host& host, const std::atomic<bool>& draining, const std::atomic<bool>& stopping,
                         LoadShedding& load, LoadShedding::Duration queue_time) {
  queue_time_ = queue_time;
  deadline_ = Deadline::max();
  if (!session_) {
    Peer peer{
        .scheme_is_https = tls_ != nullptr, .forwarding_trusted = origin_.trusted_proxy, .flow_id = flow_id_of(flow())};
    if (!origin_.trusted_proxy) peer.address = origin_.address;
    session_.emplace(stream_over(socket(), tls_.get()), host, peer,
                     ConnectionState{.draining = draining,
                                     .stopping = stopping,
                                     .ending = ending_,
                                     .idle = idle_,
                                     .queue_time = queue_time_,
                                     .load = load},
                     static_cast<RequestSuspension&>(*this));
    session_->task.start([](void*) {}, nullptr);
  } else {
    session_->suspension.resume();
  }
  if (session_->task.done() || !session_->suspension.is_suspended()) return false;
  awaited_event_ = session_->suspension.event();
  deadline_ = session_->suspension.deadline();
  return true;
}

bool OpenConnection::rearm() {
  const ConnectionSuspension::Event event = awaited_event_;
  if (event == ConnectionSuspension::Event::readable || event == ConnectionSuspension::Event::writable) {
    return poll_.rearm(socket(), *this, event == ConnectionSuspension::Event::writable);
  }
  if (event == ConnectionSuspension::Event::yield) {
    poll_.submit(*this);
  } else if (WakeState expected = WakeState::none; !wake_state_.compare_exchange_strong(expected, WakeState::waiting)) {
    poll_.submit(*this);  // wake() came before
  } else if (is_aborted_) {
    wake();  // abort() may have come before suspend()
  }
  return true;
}

std::size_t OpenConnection::occupied() const {
  return awaited_event_ == ConnectionSuspension::Event::writable ? session_->connection.occupied() : 0;
}

// A connection that waits to read may have received bytes just now: it still reads them, and answers.
void OpenConnection::expire_if_due(Deadline now) {
  const ConnectionSuspension::Event event = awaited_event_;
  if (deadline_.load() > now) return;
  if (event == ConnectionSuspension::Event::wake) return wake();
  shutdown(socket(), event == ConnectionSuspension::Event::writable ? SHUT_RDWR : SHUT_RD);
}

void OpenConnection::shut_down_if_idle() {
  if (idle_) shutdown(socket(), SHUT_RD);
}

void OpenConnection::end_after_answer() {
  ending_ = true;
  shut_down_if_idle();
}

void OpenConnection::abort() {
  is_aborted_ = true;
  shutdown(socket(), SHUT_RDWR);
  wake();
}

void OpenConnection::suspend(std::coroutine_handle<> coroutine, Deadline until) {
  wake_state_ = WakeState::none;
  session_->suspension.suspend(coroutine, ConnectionSuspension::Event::wake, until);
}

void OpenConnection::wake() {
  if (wake_state_.exchange(WakeState::woken) == WakeState::waiting) poll_.submit(*this);
}

}  // namespace portail::server
