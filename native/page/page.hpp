// The portal's page, and which requests may get the tokens of personas.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/api/settings.hpp"
#include "core/base/context.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"

namespace portail {

// Detects requests of users at this machine, which may receive the tokens of personas. A pure function; any thread.

// Whether the request was made on this machine, for a page of this server: Host is `localhost`, `127.0.0.1` or `[::1]`,
// no header was added by a proxy, and no header names another origin. The server must listen on a loopback address,
// because the peer's address alone proves nothing.
[[nodiscard]] bool is_local_request(const Request& request);

// The native host's answers besides the interface: the portal's page at `/`, its files below `/page/`, its
// settings, and the viewer at `/swagger`. Immutable; any thread.

// Sign-in by OpenID Connect, with an authorization code and PKCE.
struct SignIn {
  std::string authority;  // the issuer, an https URL
  std::string origin;     // of the authority
  std::string client;
  std::string scope;
  std::vector<std::pair<std::string, std::string>> parameters;  // additional ones of the authorization request
};

struct PageSettings {
  std::optional<SignIn> sign_in;
  // The lender's form for a document: a URL with the placeholders {bundle} and {piece}; empty: none.
  std::string deposit_url;
  // By language, the lender's contact: a text, an https URL or an e-mail address.
  std::vector<std::pair<std::string, std::string>> contacts;
  std::string currency;  // of amounts (ISO 4217)
  // A JSON array of personas with their tokens; empty: none. Only local requests receive it.
  std::string personas;
};

// Route names in log and metrics of answers for which the core has no route.
inline constexpr std::array<std::string_view, 3> page_routes{"/page/{file}", "/page/settings.json",
                                                             "/swagger/oauth2-redirect.html"};

class Page {
 public:
  // The rules for transport and origins are those of the interface.
  Page(const PageSettings& page, const Settings& settings);

  // Returns the answer to a request for the page, without the common headers. Returns nullopt if the request is for
  // something else, or the core must refuse it.
  [[nodiscard]] std::optional<Response> answer(const Context& context, const Request& request) const;

 private:
  [[nodiscard]] Response settings_for(const Request& request) const;

  bool has_sign_in_;
  std::string policy_;         // Content-Security-Policy of the page
  std::string viewer_policy_;  // and of the viewer
  std::string settings_document_;
  std::string personas_document_;  // with personas; empty if there are none
  Transport transport_;
  std::vector<std::string> allowed_origins_;
};

// Whether an answer of the page must not get CORS headers, whichever origins are allowed.
[[nodiscard]] bool is_same_origin_only(const Response& response);

}  // namespace portail
