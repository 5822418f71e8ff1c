#include "native/commands/stop_signals.hpp"

#include <array>
#include <csignal>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>

namespace portail {
namespace {

int blocked_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC);
}

}  // namespace

StopSignals::StopSignals() : signals_(blocked_signals()), released_(eventfd(0, EFD_CLOEXEC)) {}

bool StopSignals::wait(std::optional<std::chrono::milliseconds> most) {
  std::array<pollfd, 2> wanted{pollfd{.fd = signals_.number(), .events = POLLIN, .revents = 0},
                               pollfd{.fd = released_.number(), .events = POLLIN, .revents = 0}};
  if (poll(wanted.data(), wanted.size(), most ? static_cast<int>(most->count()) : -1) <= 0) return false;
  if (wanted[0].revents == 0) return false;
  signalfd_siginfo signal;
  return read(signals_.number(), &signal, sizeof signal) == sizeof signal;
}

void StopSignals::release() { eventfd_write(released_.number(), 1); }

}  // namespace portail
