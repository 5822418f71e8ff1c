// A client that reads the answers of a service as they are, for their comparison. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/http/url.hpp"
#include "native/fetch/http_client.hpp"
#include "native/settings/fault.hpp"
#include "native/shadow/compare.hpp"

namespace portail {

struct ServiceOptions {
  std::string ca_file = {};                   // PEM; empty: the system's
  std::chrono::milliseconds timeout{10'000};  // of a whole exchange
  std::size_t max_size = 0;                   // of a body, in bytes
};

struct TimedAnswer {
  shadow::ComparedAnswer answer;
  std::chrono::microseconds time;
};

// Keeps its connection between requests, and follows no redirects.
class ServiceClient {
 public:
  using Headers = HttpHeaders;

  ServiceClient(Url url, const ServiceOptions& options);

  // Sends a request without a body; a stop request ends the exchange. The error is why there is no answer that can be
  // compared: a 429, and an answer that is cut off, are errors too.
  std::expected<TimedAnswer, std::string> send(std::string_view method, std::string_view target, const Headers& headers,
                                               const std::stop_token& stop = {});

 private:
  std::chrono::milliseconds timeout_;
  std::size_t max_size_;
  HttpClient client_;
};

// Parses the URL of `option`: https without a path, or http of a loopback address, since a token is sent there.
std::expected<Url, Fault> parse_service_url(const std::string& text, std::string_view option);

}  // namespace portail
