// The table of refusals: the text that log lines and challenges have, and the cause and remedy that `portail explain`
// and `portail check` print. tools/docs/reference.py generates docs/reference/refusals.md. In causes and remedies
// backquotes enclose settings, commands and headers. Constants.
#pragma once

#include <array>
#include <string_view>

#include "core/http/reason.hpp"

namespace portail {

struct ReasonRow {
  Reason reason;
  int status;
  std::string_view text;
  std::string_view cause;
  std::string_view remedy;
};

namespace shared_reason_texts {

inline constexpr std::string_view send_token =
    "Send the access token in one header, `Authorization: Bearer TOKEN`; let proxies pass it on.";
inline constexpr std::string_view damaged = "The token was changed or cut off on its way, or is not a token.";
inline constexpr std::string_view token_unchanged =
    "Send the provider's access token unchanged; `portail check --token -` decodes it.";
inline constexpr std::string_view check_token =
    "Run `portail check --token -` with the settings of the server: it prints each claim and its expected value.";
inline constexpr std::string_view access_token = "Send the access token of the provider's answer (`access_token`).";
inline constexpr std::string_view not_granted =
    "Neither the token's claim permissions nor a grant in `droits` gives it to this caller.";
inline constexpr std::string_view grant =
    "Grant it in `droits` of the import document to the user, role or client; `portail check --token -` prints what "
    "the caller has.";

}  // namespace shared_reason_texts

// In the order of Reason.
inline constexpr std::array reason_table{
    ReasonRow{Reason::no_token, 401, "No bearer token was sent",
              "The client sent no header `Authorization: Bearer TOKEN`, or a proxy removed it.",
              shared_reason_texts::send_token},
    ReasonRow{Reason::repeated_authorization, 401, "More than one Authorization header was sent",
              "The client or a proxy added a second one.", shared_reason_texts::send_token},
    ReasonRow{Reason::token_too_long, 401, "The token is longer than 8,000 bytes",
              "The provider puts many roles or groups into it.",
              "Let the provider include only the roles of this service, and grant permissions to roles in `droits`."},
    ReasonRow{Reason::token_not_compact, 401, "The token is not a compact JWS of three parts",
              "It is an encrypted token (five parts), a reference token, or not a token.",
              "Disable encryption and reference tokens at the provider."},
    ReasonRow{Reason::header_not_base64url, 401, "The token's header is not base64url", shared_reason_texts::damaged,
              shared_reason_texts::token_unchanged},
    ReasonRow{Reason::header_not_an_object, 401, "The token's header is not one JSON object with unique names",
              shared_reason_texts::damaged, shared_reason_texts::token_unchanged},
    ReasonRow{Reason::header_with_crit, 401, "The token's header asks for an extension (crit)",
              "The provider uses an extension of JWS, which this service does not support.",
              "Disable the extension at the provider."},
    ReasonRow{Reason::type_not_accepted, 401, "The token's type (typ) is not accepted",
              "It is a token for another purpose.", "Send the access token: typ is JWT, at+jwt or absent."},
    ReasonRow{Reason::algorithm_not_accepted, 401, "The token's algorithm (alg) is not accepted",
              "The provider signs with another algorithm.", "Let the provider sign with EdDSA, ES256, RS256 or PS256."},
    ReasonRow{Reason::claims_not_base64url, 401, "The token's claims are not base64url", shared_reason_texts::damaged,
              shared_reason_texts::token_unchanged},
    ReasonRow{Reason::claims_not_an_object, 401, "The token's claims are not one JSON object with unique names",
              shared_reason_texts::damaged, shared_reason_texts::token_unchanged},
    ReasonRow{Reason::signature_not_base64url, 401, "The token's signature is not base64url, or too long",
              shared_reason_texts::damaged, shared_reason_texts::token_unchanged},
    ReasonRow{Reason::no_signature, 401, "The token has no signature", "It is not signed, or was cut off.",
              shared_reason_texts::token_unchanged},
    ReasonRow{Reason::kid_not_a_string, 401, "The token's key (kid) is not a string", shared_reason_texts::damaged,
              shared_reason_texts::token_unchanged},
    ReasonRow{Reason::kid_missing, 401, "The token names no key (kid), and not exactly one key fits its algorithm",
              "The key set has several keys, or none, of this algorithm.",
              "Let the provider write kid into its tokens, or publish one key only."},
    ReasonRow{Reason::kid_unknown, 401, "The token's key (kid) is not known here",
              "Another issuer, realm or tenant signed it; or the key set of the server is older than the key.",
              "Compare kid of the token (`portail check URL --token -`) with the issuer's key set. If `jwks` is a "
              "file, replace it (`portail keys show` lists its keys) and run `systemctl reload portail`."},
    ReasonRow{Reason::algorithm_not_of_key, 401, "The token's algorithm (alg) is not that of its key (kid)",
              "The key set publishes the key for another algorithm, or the token is forged.",
              "Compare `alg` of the key in the key set with `alg` of the token."},
    ReasonRow{Reason::wrong_signature, 401, "The token's signature is not that of its key",
              "The token was changed, or another issuer uses the same kid.",
              "Request a new token. If it is refused too, compare the issuer's key set with that of the server: "
              "`portail keys show`."},
    ReasonRow{Reason::wrong_issuer, 401, "The token's issuer (iss) is not the expected one",
              "It differs from the setting `issuer`, often by a trailing slash or a host name.",
              shared_reason_texts::check_token},
    ReasonRow{Reason::wrong_audience, 401, "The token is not meant for this service (aud)",
              "The client requested a token for another service, or the setting `audience` has another name.",
              shared_reason_texts::check_token},
    ReasonRow{Reason::audience_not_strings, 401, "The token's audience (aud) must have strings only",
              "The provider writes another type of value.", shared_reason_texts::check_token},
    ReasonRow{Reason::no_expiry, 401, "The token has no expiry (exp)", "The provider issues tokens without a lifetime.",
              "Set a lifetime of access tokens at the provider."},
    ReasonRow{Reason::expiry_not_a_number, 401, "The token's expiry (exp) is not a number from 0 to 2^53",
              "The provider writes milliseconds as text, or another type.", shared_reason_texts::check_token},
    ReasonRow{Reason::start_not_a_number, 401, "The token's start (nbf) is not a number from 0 to 2^53",
              "The provider writes milliseconds as text, or another type.", shared_reason_texts::check_token},
    ReasonRow{Reason::expired, 401, "The token has expired",
              "The client kept it longer than its lifetime, or a clock is wrong.",
              "Request a new token. Compare the clocks of the provider and of this server: `timedatectl`, or "
              "`portail check URL`."},
    ReasonRow{Reason::not_valid_yet, 401, "The token is not valid yet (nbf)",
              "The clock of the provider is ahead of the clock of this server.",
              "Compare both clocks: `timedatectl`, or `portail check URL`. The setting `leeway` allows for a small "
              "difference."},
    ReasonRow{Reason::wrong_tenant, 401, "The token's tenant (tenantid) is missing or not the expected one",
              "It differs from the setting `tenant`.", shared_reason_texts::check_token},
    ReasonRow{Reason::id_or_refresh_token, 401, "The token is an ID or refresh token, not an access token",
              "The client sends the wrong one of its tokens.", shared_reason_texts::access_token},
    ReasonRow{Reason::id_token, 401, "The token is an ID token, not an access token",
              "The client sends the wrong one of its tokens.", shared_reason_texts::access_token},
    ReasonRow{Reason::no_access_token, 401, "The token is not an access token (typ, token_use, events)",
              "The client sends the wrong one of its tokens.", shared_reason_texts::access_token},
    ReasonRow{Reason::client_not_a_string, 401, "The token's client (client_id, azp) is not a string",
              "The provider writes another type of value.", shared_reason_texts::check_token},
    ReasonRow{Reason::sub_not_a_string, 401, "The token's subject (sub) is not a string",
              "The provider writes another type of value.", shared_reason_texts::check_token},
    ReasonRow{Reason::subject_not_a_string, 401, "The token's subject is not a string",
              "The claim of the setting `subject-claim` has another type.", shared_reason_texts::check_token},
    ReasonRow{Reason::subject_size, 401, "The token's subject is not 1 to 255 bytes long", "It is empty, or too long.",
              shared_reason_texts::check_token},
    ReasonRow{Reason::no_subject_and_client, 401, "The token names neither a subject nor a client",
              "A scope or mapper of the provider is missing, or the setting `subject-claim` names another claim.",
              shared_reason_texts::check_token},
    ReasonRow{Reason::not_https, 403, "The request was not sent over HTTPS; the setting transport is direct",
              "A proxy ends TLS, or the client uses http.",
              "Send it over HTTPS. If a proxy ends TLS, set `transport` to forwarded, and `trusted-proxy` to the "
              "proxy's address."},
    ReasonRow{Reason::not_https_by_proxy, 403, "No trusted proxy reported HTTPS; the setting transport is forwarded",
              "The proxy's address is not in `trusted-proxy`, or the proxy sets no X-Forwarded-Proto, or the client "
              "uses http.",
              "Add the proxy's address to `trusted-proxy`, and let the proxy set `X-Forwarded-Proto: https`."},
    ReasonRow{Reason::not_https_by_proxy_or_loopback, 403,
              "No proxy reported HTTPS, and the host is not a loopback name; the setting transport is "
              "forwarded-or-loopback",
              "The client uses http, or the proxy sets no X-Forwarded-Proto.",
              "Send it over HTTPS to a proxy that sets `X-Forwarded-Proto: https`."},
    ReasonRow{Reason::no_update_permission, 403, "The permission PortailClients.ObjetsCourrier.Update is missing",
              shared_reason_texts::not_granted, shared_reason_texts::grant},
    ReasonRow{Reason::no_dashboard_permission, 403, "The permission PortailClients.Dashboard.Host is missing",
              shared_reason_texts::not_granted, shared_reason_texts::grant},
    ReasonRow{Reason::no_administration_permission, 403, "The permission PortailClients.Administration is missing",
              "Neither the token's claim permissions nor the setting `manage-subject` gives it.",
              "Let the provider write it into the claim permissions, or name the subject in `manage-subject`; "
              "`droits` cannot give it."},
    ReasonRow{Reason::no_subject, 403, "The token has no subject",
              "It is a client's own token; bundles belong to persons.", "Send the token of a person."},
    ReasonRow{Reason::not_related, 403, "The caller is neither a user nor a manager of the client",
              "The token's subject is not in `utilisateurs` or `gestionnaires` of the bundle's third party.",
              "Import a document that names the subject there; `portail check --token -` prints the subject and its "
              "bundles."},
    ReasonRow{Reason::address_rate, 429, "The address exceeds its rate limit",
              "One address sends more requests than the setting `requests-per-address`, or clients share a proxy "
              "that is not in `trusted-proxy`.",
              "Let the client wait as Retry-After says. Raise the setting, or add the proxy to `trusted-proxy`."},
    ReasonRow{Reason::subject_rate, 429, "The subject exceeds its rate limit",
              "One user or client sends more requests than the setting `requests-per-subject`.",
              "Let the client wait as Retry-After says, or raise the setting."},
    ReasonRow{Reason::no_keys, 503, "No key set can be used",
              "The source of the key set does not answer, has no usable key, or is older than `jwks-max-age`.",
              "The last warning of the log about keys has the cause. `portail check` with the settings of the server "
              "reads the source and lists refused keys."},
    ReasonRow{
        Reason::store_unavailable, 503, "The store is unavailable",
        "The engine or disk does not answer, refuses writes, or has another password.",
        "The last warning of the log about the store has the cause; `GET /health` of `metrics-listen` has it too. "
        "Then `portail check` with the settings of the server says whether the store can be used."},
    ReasonRow{Reason::timed_out, 503, "The request was cancelled, or its deadline expired",
              "The client closed the connection, or the store or the key source was slow.",
              "See the warnings of the log at this time, and `portail status`."},
    ReasonRow{Reason::overloaded, 503, "The server is overloaded",
              "Requests waited longer than `queue-timeout`, or the client has too many streamed answers in flight.",
              "See `portail status`. Add processors or servers; the client must wait as Retry-After says."},
    ReasonRow{Reason::draining, 503, "The server is shutting down", "It answers probes only until it has stopped.",
              "None: load balancers send requests to other servers."}};

static_assert([] {
  std::size_t position = 0;
  for (const ReasonRow& row : reason_table) {
    if (static_cast<std::size_t>(row.reason) != ++position || row.text.empty()) return false;
  }
  return position == static_cast<std::size_t>(Reason::draining);
}());

}  // namespace portail
