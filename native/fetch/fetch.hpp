// One HTTP GET with limits for size and time; the body is passed on as it arrives. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/http/url.hpp"

namespace portail {

struct FetchRequest {
  Url url;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string ca_file = {};                        // PEM file of trusted certificate authorities; empty: the system's
  std::uint64_t max_size = 0;                      // of the decoded body, in bytes
  std::chrono::steady_clock::time_point deadline;  // of the whole request, including name resolution
  std::stop_token stop = {};                       // ends the call immediately
  bool may_end_abruptly = false;                   // as in HttpClientOptions
};

struct FetchedHead {
  int status = 0;
  std::string etag = {};           // empty if absent
  std::string last_modified = {};  // empty if absent
};

// Receives the next bytes of the body. If it returns false, the fetch ends with an error.
using BodyReceiver = std::function<bool(std::string_view)>;

// Returns the head of an answer of any status; passes the decoded body of a 200 to `receive`. Success means that it was
// complete, except with `may_end_abruptly`, and if it is compressed: then the content must show it. Verifies the
// server's certificate and does not follow redirects. The error is a reason without the URL. The deadline applies also
// while the peer sends nothing. Proxies: HttpClient.
std::expected<FetchedHead, std::string> fetch(const FetchRequest& request, const BodyReceiver& receive);

// Returns a size for messages: "256 KiB", "1 MiB", "1500 bytes".
std::string size_text(std::uint64_t bytes);

}  // namespace portail
