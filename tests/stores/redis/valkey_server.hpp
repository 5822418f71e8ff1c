// A Valkey server of a test, and stores in it. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "native/stores/redis/redis_store.hpp"
#include "native/stores/redis/redis_url.hpp"
#include "tests/stores/connections.hpp"
#include "tests/stores/logged_store.hpp"
#include "tests/stores/process.hpp"
#include "tests/stores/temporary_folder.hpp"

namespace portail {

// A server for one test, on a free port of the loopback, without persistence.
class ValkeyServer {
 public:
  // `settings` are arguments of its command line: {"--requirepass", "secret"}; "{port}" is replaced by its port.
  explicit ValkeyServer(std::vector<std::string> settings = {}) : settings_(std::move(settings)) {
    // Another program may take the port before the server does.
    for (int attempt = 0; attempt < 5 && !process_; ++attempt) {
      url.port = free_port();
      start();
    }
    if (!process_) ADD_FAILURE() << "valkey-server does not start";
  }

  // Starts the server on `url.port`, and waits until it accepts connections.
  void start() {
    std::vector<std::string> command = {"valkey-server", "--port",    std::to_string(url.port),
                                        "--bind",        "127.0.0.1", "--dir",
                                        folder_.path(),  "--save",    ""};
    for (const std::string& setting : settings_) {
      command.push_back(setting == "{port}" ? std::to_string(url.port) : setting);
    }
    process_ = std::make_unique<Process>(command);
    for (std::string line = process_->line(); !line.empty(); line = process_->line()) {
      if (line.contains("Ready to accept connections")) return;
    }
    process_.reset();
  }
  void kill() { process_.reset(); }
  // Between suspend() and resume() the server does not respond; it handles the requests sent meanwhile after resume().
  void suspend() const { process_->suspend(); }
  void resume() const { process_->resume(); }

  // Returns the output of valkey-cli.
  [[nodiscard]] std::string cli(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command = {"valkey-cli", "-p", std::to_string(url.port)};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Process client(command);
    std::string printed;
    for (std::string line = client.line(); !line.empty(); line = client.line()) printed += line + '\n';
    return printed;
  }

  redis::Url url{.user = "", .password = "", .host = "127.0.0.1"};

 private:
  std::vector<std::string> settings_;
  TemporaryFolder folder_;
  std::unique_ptr<Process> process_;
};

// Returns the opened store; on an error the test fails, and null is returned.
inline std::unique_ptr<redis::Store> open_or_fail(const redis::Url& url) {
  return opened_or_failed(redis::Store::open(url));
}

// Returns the error of opening the store; empty if it succeeds.
inline std::string opening_error_of(const redis::Url& url) {
  const auto store = redis::Store::open(url);
  return store ? std::string() : store.error();
}

struct LoggedRedis : LoggedStore {
  explicit LoggedRedis(const redis::Url& url) : LoggedStore(open_or_fail(url)) {}
};

}  // namespace portail
