// The client of a portal's management interface (docs/reference/management.md), and the token that commands send to a
// portal. One thread.
#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <string_view>

#include "core/http/url.hpp"
#include "native/fetch/http_client.hpp"
#include "native/settings/fault.hpp"

namespace portail {

// Returns the token of `file`, or of the variable PORTAIL_TOKEN if `file` is empty. Its absence is a fault.
std::expected<std::string, Fault> read_bearer_token(const std::string& file);

class ManagementClient {
 public:
  struct Answer {
    int status = 0;
    std::string body;
  };

  // `url` is an https URL without a path, or an http one of a loopback address. The token is the content of
  // `token_file`, or the variable PORTAIL_TOKEN if that is empty. Fails if the client's certificate and key cannot be
  // used.
  static std::expected<ManagementClient, Fault> create(const std::string& url, const std::string& token_file,
                                                       ClientTls tls);

  // Sends a request, which may be sent again: if there is no answer, or 503, it is repeated a few times, after a pause.
  // `path` follows /manage/. An answer of 401, 403 or 404 is a fault, as is the absence of one.
  std::expected<Answer, Fault> send(const char* method, std::string_view path, std::string_view body,
                                    const char* content_type) const;

  // Returns the body of a GET, which must be answered by 200.
  [[nodiscard]] std::expected<std::string, Fault> get(std::string_view path) const;
  // Returns the fault of an answer that refuses a request.
  static std::unexpected<Fault> refused(const Answer& answer);

 private:
  ManagementClient(Url url, std::string token, ClientTls tls)
      : url_(std::move(url)), token_(std::move(token)), tls_(std::move(tls)) {}

  Url url_;
  std::string token_;
  ClientTls tls_;
};

}  // namespace portail
