// The client of a WebAssembly host, by which a portal fetches its keys. An interface; each adapter implements it. One
// thread; several calls may be in flight.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/http/url.hpp"

namespace portail {

struct HttpAnswer {
  int status = 0;
  std::string body;
};

// The error is one line for the operator: "connection refused".
using HttpResult = std::expected<HttpAnswer, std::string>;

class HttpClient {
 public:
  virtual ~HttpClient() = default;

  // Sends GET with `Accept: application/json`, and follows no redirect. Reads the body of a 200 up to one byte more
  // than `max_size`. Ends after the timeout, in microseconds, at the latest. `url` must outlive the Task.
  virtual Task<HttpResult> get(Context& context, const Url& url, std::size_t max_size, std::int64_t timeout) = 0;

  // Returns after that many microseconds.
  virtual Task<void> pause(Context& context, std::int64_t microseconds) = 0;

  // Starts a task that may go on after the request that starts it. Until it is done, or destroyed, this and the task's
  // Context must live. Hosts that block run the task to its end.
  virtual void start(Task<void>& task) {
    task.start([](void*) {}, nullptr);
  }

  // Returns whether other requests, and the one that starts a task, run while the task waits.
  [[nodiscard]] virtual bool is_concurrent() const = 0;
};

}  // namespace portail
