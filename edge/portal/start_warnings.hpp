// What a component checks and reports at its start. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>

#include <wasi/libc-environ.h>

#include "core/http/response.hpp"
#include "core/settings/guest_settings.hpp"
#include "core/settings/settings_check.hpp"

namespace portail::edge {

// Returns the names of the environment's variables PORTAIL_… that are ignored. The error is the refusal of an unknown
// one.
inline std::expected<std::string, std::string> check_environment() {
  VariableCheck check(guest_variables);
  if (auto checked = check.check_environment(__wasilibc_get_environ()); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  return check.ignored();
}

// Logs the warnings at the second request of an instance: a host that creates one for each request would have them in
// its log for each.
class StartWarnings final : public Handler {
 public:
  // `ignored` are the names of ignored variables; empty if there are none.
  StartWarnings(std::unique_ptr<Handler> portal, std::string ignored, bool is_plain_http)
      : portal_(std::move(portal)), ignored_(std::move(ignored)), is_plain_http_(is_plain_http) {}

  Task<Response> handle(Context& context, const Request& request) override {
    if (++requests_ == 2) log(context.log);
    return portal_->handle(context, request);
  }
  void after_answer(Context& context) override { portal_->after_answer(context); }

 private:
  void log(Log& log) const {
    if (!ignored_.empty()) log.warn("variables of an orchestrator are ignored", ignored_);
    if (!is_plain_http_) return;
    log.warn("transport loopback", "requests are answered without TLS: this host must listen on loopback only");
  }

  std::unique_ptr<Handler> portal_;
  std::string ignored_;
  bool is_plain_http_;
  std::uint64_t requests_ = 0;
};

}  // namespace portail::edge
