#include "native/commands/signals.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

namespace portail {
namespace {

using std::chrono::steady_clock;

int blocked_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC);
}

// The timeout for poll() in milliseconds: 0 if the time passed, -1 if there is none.
int milliseconds_until(std::optional<steady_clock::time_point> until) {
  if (!until) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - steady_clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

}  // namespace

Signals::Signals() : signals_(blocked_signals()), released_(eventfd(0, EFD_CLOEXEC)) {
  if (!signals_ || !released_) throw std::system_error(errno, std::generic_category(), "signals cannot be received");
}

bool Signals::wait_for_stop(std::optional<steady_clock::time_point> until) {
  while (const auto signal = wait(until)) {
    if (*signal != Signal::reload) return *signal == Signal::stop;
  }
  return false;
}

void Signals::release() { eventfd_write(released_.number(), 1); }

std::optional<Signal> Signals::wait(std::optional<steady_clock::time_point> until) {
  std::array<pollfd, 2> polled{pollfd{.fd = signals_.number(), .events = POLLIN, .revents = 0},
                               pollfd{.fd = released_.number(), .events = POLLIN, .revents = 0}};
  const int ready = poll(polled.data(), polled.size(), milliseconds_until(until));
  if (ready == 0) return Signal::none;
  if (ready < 0) return std::nullopt;
  signalfd_siginfo signal{};
  if (polled[0].revents == 0 || read(signals_.number(), &signal, sizeof signal) != sizeof signal) return std::nullopt;
  return signal.ssi_signo == SIGHUP ? Signal::reload : Signal::stop;
}

}  // namespace portail
