// A server that runs on a thread of its own, beside the main one. One thread starts and ends it.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "native/server/server.hpp"

namespace portail::server {

class BackgroundServer {
 public:
  // `host` must outlive this.
  BackgroundServer(Options options, const Host& host) : server_(std::move(options), host) {}
  BackgroundServer(const BackgroundServer&) = delete;
  BackgroundServer& operator=(const BackgroundServer&) = delete;
  // Stops the server and waits for its end.
  ~BackgroundServer() { server_.stop(); }

  // Starts serving; call it once. Returns the port, or an error message. If accepting fails later, the thread calls
  // `on_failure` with the reason.
  std::expected<int, std::string> start(std::function<void(const std::string& reason)> on_failure);
  // As Server::replace_certificate. Any thread.
  bool replace_certificate(std::shared_ptr<const TlsContext> tls) {
    return server_.replace_certificate(std::move(tls));
  }

 private:
  Server server_;
  std::jthread thread_;
};

}  // namespace portail::server
