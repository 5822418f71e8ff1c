#include "native/stores/postgres/postgres_call.hpp"

#include <utility>

#include <libpq-fe.h>
#include <poll.h>

#include "native/stores/postgres/postgres_loop.hpp"

namespace portail::postgres {

Lease::~Lease() {
  if (loop_) loop_->release(number_);
}

Cancellation::Cancellation(Connection connection, Time deadline)
    : connection_(std::move(connection)), cancel_(PQcancelCreate(connection_.handle())), deadline_(deadline) {
  if (PQcancelStart(cancel_.get()) == 0) deadline_ = Time::min();
}

bool Cancellation::advance(Time now) {
  while (now < deadline_) {
    const auto events = static_cast<short>(direction_ == PGRES_POLLING_READING ? POLLIN : POLLOUT);
    pollfd watched{.fd = PQcancelSocket(cancel_.get()), .events = events, .revents = 0};
    if (poll(&watched, 1, 0) <= 0) return false;
    direction_ = PQcancelPoll(cancel_.get());
    if (direction_ != PGRES_POLLING_READING && direction_ != PGRES_POLLING_WRITING) return true;
  }
  return true;
}

}  // namespace portail::postgres
