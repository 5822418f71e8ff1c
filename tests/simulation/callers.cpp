#include "tests/simulation/callers.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "tests/simulation/step_clock.hpp"
#include "tests/support/tokens.hpp"

namespace portail::simulation {
namespace {

Caller make_caller(const std::string& subject, std::vector<std::string> roles, std::vector<std::string> permissions) {
  Caller caller;
  caller.subject = subject;
  caller.sees_derogated = !permissions.empty();
  caller.has_dashboard = std::ranges::find(roles, "gestionnaire") != roles.end();
  caller.may_update = subject == "admin";
  caller.roles = std::move(roles);
  caller.permissions = std::move(permissions);
  return caller;
}

// `exp` and `nbf` are in seconds after the begin of the run.
std::string token_text(const Caller& caller, std::int64_t expires, std::optional<std::int64_t> starts) {
  const std::int64_t begin = FixedClock::default_time.seconds();
  return make_quick_test_token({.subject = caller.subject,
                                .roles = caller.roles,
                                .permissions = caller.permissions,
                                .extra_members = starts ? ",\"nbf\":" + std::to_string(begin + *starts) : "",
                                .expires = begin + expires});
}

Moment step_at(std::int64_t second) {
  return static_cast<Moment>(std::max<std::int64_t>(second, 0)) * steps_per_second;
}

}  // namespace

std::vector<std::string> ordinary_people() { return {"Client.1", "client-\u00e9", "manager-1", "manager-2", "admin"}; }

std::vector<Caller> make_callers() {
  const std::string derogated = "PortailClients.Liasses.VoirPieceDerogee";
  return {make_caller("Client.1", {}, {}),
          make_caller("client-\u00e9", {}, {derogated}),
          make_caller("manager-1", {"gestionnaire"}, {}),
          make_caller("manager-2", {"gestionnaire"}, {derogated}),
          make_caller("admin", {}, {derogated}),
          make_caller(auditor, {"gestionnaire"}, {derogated})};
}

TimedToken lasting_token(const Caller& caller) {
  return {.text = token_text(caller, 1'000'000, std::nullopt), .from = 0, .until = never};
}

const TimedToken& Wallet::token_of(const Caller& caller, Moment now) {
  TimedToken& token = tokens_[caller.subject];
  const bool has_expired = now >= token.until;
  if (token.text.empty() || (has_expired && !random_.one_in(3))) token = issue(caller, now);
  return token;
}

TimedToken Wallet::issue(const Caller& caller, Moment now) {
  const auto second = static_cast<std::int64_t>(now / steps_per_second);
  const auto some = [this](std::size_t bound) { return static_cast<std::int64_t>(random_.below(bound)); };
  const std::int64_t expires = second + 5 + some(60);
  std::optional<std::int64_t> starts;
  // Some tokens are sent before their start.
  if (random_.one_in(2)) starts = second - some(8) + (random_.one_in(4) ? leeway_seconds + 12 : 0);
  return {.text = token_text(caller, expires, starts),
          .from = starts ? step_at(*starts - leeway_seconds) : 0,
          .until = step_at(expires + leeway_seconds)};
}

}  // namespace portail::simulation
