#include "native/server/background_server.hpp"

#include <utility>

namespace portail::server {

std::expected<int, std::string> BackgroundServer::start(std::function<void(const std::string& reason)> on_failure) {
  auto port = server_.listen();
  if (!port) return port;
  if (const auto started = server_.start(); !started) return std::unexpected(started.error());
  thread_ = std::jthread([this, report = std::move(on_failure)] {
    const auto served = server_.wait();
    if (!served) report(served.error());
  });
  return port;
}

}  // namespace portail::server
