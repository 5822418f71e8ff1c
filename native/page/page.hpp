// The portal's page (core/page) at `/`, its files below `/page/`, the settings that it asks for, and the way from
// `/swagger` to the viewer: what the native host answers beside the interface. Immutable; any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/context.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "core/settings.hpp"

namespace portail {

// How people sign in: OpenID Connect, with an authorization code and PKCE.
struct SignIn {
  std::string authority;  // the issuer, an https URL
  std::string origin;     // of that
  std::string client;
  std::string scope;
  std::vector<std::pair<std::string, std::string>> parameters;  // further ones of the authorization request
};

struct PageSettings {
  std::optional<SignIn> sign_in;
  // A JSON array of personas with their tokens; empty: none. Given to local requests alone
  // (native/page/local_request.hpp).
  std::string personas;
};

// What the log and the metrics call what it answers and the core has no route for.
inline constexpr std::array<std::string_view, 2> page_routes{"/page/{file}", "/page/settings.json"};

class Page {
 public:
  // The page is answered by the same rules of transport and origins as the interface.
  Page(PageSettings page, const Settings& settings);

  // The answer to a request for something of the page, without what every answer carries; nullopt: the request is for
  // something else, or the core refuses it before it looks at what it is for.
  [[nodiscard]] std::optional<Response> answer(const Context& context, const Request& request) const;

 private:
  [[nodiscard]] bool is_refused(const Request& request) const;
  [[nodiscard]] Response settings_for(const Request& request) const;

  std::string policy_;
  std::string settings_document_;
  std::string development_document_;  // with the personas; empty where there are none
  Transport transport_;
  std::vector<std::string> allowed_origins_;
};

// Whether an answer of the page gets no CORS headers, whichever origins are allowed.
[[nodiscard]] bool is_for_own_origin_alone(const Response& response);

}  // namespace portail
