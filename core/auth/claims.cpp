#include "core/auth/claims.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "core/auth/roles.hpp"
#include "core/base/text.hpp"
#include "core/json/reader.hpp"

namespace portail {
namespace {

using Refused = std::unexpected<Reason>;
using Checked = std::expected<void, Reason>;

constexpr std::size_t max_subject_size = 255;  // in bytes

// Returns an optional claim, which must be a string if it is present.
std::expected<std::optional<std::string_view>, Reason> optional_string(JsonObject claims, std::string_view name,
                                                                       Reason refusal) {
  const auto claim = member(claims, name);
  if (!claim) return std::nullopt;
  const auto text = string_of(*claim);
  if (!text) return Refused(refusal);
  return text;
}

// Returns seconds since 1970, with an optional fraction (NumericDate, RFC 7519 section 2). Integers are compared as
// integers, since 2^53 + 1 is 2^53 as a double.
std::optional<double> numeric_date(JsonValue claim) {
  constexpr std::int64_t max_seconds = std::int64_t{1} << 53;
  if (const auto seconds = integer_of(claim)) {
    if (*seconds < 0 || *seconds > max_seconds) return std::nullopt;
    return static_cast<double>(*seconds);
  }
  const auto seconds = number_of(claim);
  return seconds >= 0 && seconds <= static_cast<double>(max_seconds) ? seconds : std::nullopt;
}

Checked check_issuer(JsonObject claims, const TokenSettings& settings) {
  const auto claim = member(claims, "iss");
  if (!claim || string_of(*claim) != settings.issuer) return Refused(Reason::wrong_issuer);
  return {};
}

Checked check_audience(JsonObject claims, const TokenSettings& settings) {
  constexpr Reason refusal = Reason::wrong_audience;
  const auto is_expected = [&settings](std::string_view audience) {
    return std::ranges::find(settings.audiences, audience) != settings.audiences.end();
  };
  const auto claim = member(claims, "aud");
  if (!claim) return Refused(refusal);
  if (const auto audience = string_of(*claim)) {
    if (!is_expected(*audience)) return Refused(refusal);
    return {};
  }
  const auto audiences = array_of(*claim);
  if (!audiences) return Refused(refusal);
  bool found = false;
  for (const JsonValue item : *audiences) {
    const auto audience = string_of(item);
    if (!audience) return Refused(Reason::audience_not_strings);
    found = found || is_expected(*audience);
  }
  if (!found) return Refused(refusal);
  return {};
}

Checked check_tenant(JsonObject claims, const TokenSettings& settings) {
  if (settings.tenant.empty()) return {};
  const auto claim = member(claims, "tenantid");
  if (!claim || string_of(*claim) != settings.tenant) return Refused(Reason::wrong_tenant);
  return {};
}

bool has_any(JsonObject claims, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [claims](std::string_view name) { return member(claims, name).has_value(); });
}

// Refuses the other tokens of the issuer, whose audience may be the same (RFC 8725 section 3.12). Providers write the
// kind into `typ` (Keycloak) or `token_use` (Cognito). A nonce marks an ID token. Keycloak before 25 and Azure AD B2C
// write it into access tokens too, and then also a kind or a scope.
Checked check_kind(JsonObject claims) {
  constexpr std::array<std::string_view, 6> access_kinds{"Bearer", "DPoP",        "at+jwt", "application/at+jwt",
                                                         "access", "access_token"};
  bool is_access = has_any(claims, {"scope", "scp"});
  for (const std::string_view name : {"typ", "token_use"}) {
    const auto claim = member(claims, name);
    if (!claim) continue;
    const std::string_view kind = string_of(*claim).value_or("");
    const auto is_kind = [kind](std::string_view each) { return equals_ignoring_case(kind, each); };
    if (is_kind("JWT")) continue;  // which every token is
    if (is_kind("ID") || is_kind("Refresh")) return Refused(Reason::id_or_refresh_token);
    is_access = std::ranges::any_of(access_kinds, is_kind);
    if (!is_access) return Refused(Reason::no_access_token);
  }
  if (member(claims, "events")) return Refused(Reason::no_access_token);
  const bool is_id = has_any(claims, {"at_hash", "c_hash", "s_hash"}) || (!is_access && member(claims, "nonce"));
  if (is_id) return Refused(Reason::id_token);
  return {};
}

// Returns the caller's client: client_id (RFC 9068), else azp (OpenID Connect); empty if there is neither.
std::expected<std::string_view, Reason> read_client(JsonObject claims) {
  std::string_view client;
  for (const std::string_view name : {"client_id", "azp"}) {
    const auto claim = optional_string(claims, name, Reason::client_not_a_string);
    if (!claim) return Refused(claim.error());
    if (client.empty() && *claim) client = **claim;
  }
  return client;
}

// Reads the caller's subject and client. Whether the token is the client's own depends on `sub` only, also if another
// claim is the subject: a user whose token lacks that claim is still a user.
Checked read_identity(JsonObject claims, const TokenSettings& settings, Caller& caller) {
  const auto client = read_client(claims);
  if (!client) return Refused(client.error());
  const auto sub = optional_string(claims, "sub", Reason::sub_not_a_string);
  if (!sub) return Refused(sub.error());
  const auto subject = optional_string(claims, settings.subject_claim, Reason::subject_not_a_string);
  if (!subject) return Refused(subject.error());

  if (*subject && ((*subject)->empty() || (*subject)->size() > max_subject_size)) {
    return Refused(Reason::subject_size);
  }
  if (!*subject && client->empty()) return Refused(Reason::no_subject_and_client);

  const auto kind = member(claims, "idtyp");
  const bool is_app = kind && string_of(*kind) == "app";
  caller.is_client_token = !client->empty() && (!*sub || *sub == *client || is_app);
  caller.client = *client;
  caller.subject = subject->value_or(std::string_view{});
  return {};
}

// Returns the first of these claims that is a string and not empty.
std::string_view first_text(JsonObject claims, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto claim = member(claims, name);
    const auto text = claim ? string_of(*claim) : std::nullopt;
    if (text && !text->empty()) return *text;
  }
  return {};
}

// Returns whether the claim is true, as a boolean or as the string that ASP.NET writes.
bool is_true(JsonObject claims, std::string_view name) {
  const auto claim = member(claims, name);
  return claim && (boolean_of(*claim) == true || equals_ignoring_case(string_of(*claim).value_or(""), "true"));
}

void read_profile(JsonObject claims, Caller& caller) {
  caller.user_name = first_text(claims, {"preferred_username", "unique_name", "name"});
  caller.first_name = first_text(claims, {"given_name", "name"});
  caller.last_name = first_text(claims, {"family_name"});
  caller.email = first_text(claims, {"email"});
  caller.email_verified = is_true(claims, "email_verified");
}

}  // namespace

std::expected<TokenTimes, Reason> read_times(JsonObject claims) {
  const auto exp = member(claims, "exp");
  if (!exp) return Refused(Reason::no_expiry);
  const auto expires = numeric_date(*exp);
  if (!expires) return Refused(Reason::expiry_not_a_number);
  const auto nbf = member(claims, "nbf");
  const auto starts = nbf ? numeric_date(*nbf) : 0;
  if (!starts) return Refused(Reason::start_not_a_number);
  return TokenTimes{.expires = *expires, .starts = *starts};
}

std::expected<void, Reason> check_times(const TokenTimes& times, const TokenSettings& settings, Instant now) {
  const double now_seconds = static_cast<double>(now.microseconds) / 1e6;
  const auto leeway = static_cast<double>(settings.leeway_seconds);
  if (now_seconds >= times.expires + leeway) return Refused(Reason::expired);
  if (now_seconds < times.starts - leeway) return Refused(Reason::not_valid_yet);
  return {};
}

std::expected<Caller, Reason> read_claims(JsonObject claims, const TokenSettings& settings, Instant now) {
  Caller caller;
  const Checked accepted = check_issuer(claims, settings)
                               .and_then([&] { return check_audience(claims, settings); })
                               .and_then([&] { return read_times(claims); })
                               .and_then([&](TokenTimes times) { return check_times(times, settings, now); })
                               .and_then([&] { return check_tenant(claims, settings); })
                               .and_then([&] { return check_kind(claims); })
                               .and_then([&] { return read_identity(claims, settings, caller); });
  if (!accepted) return Refused(accepted.error());
  caller.roles = read_roles(claims, settings.audiences);
  caller.permissions = read_permissions(claims);
  caller.has_administration = has_administration_claim(claims);
  read_profile(claims, caller);
  return caller;
}

std::vector<ClaimCheck> check_each_claim(JsonObject claims, const TokenSettings& settings, Instant now) {
  std::vector<ClaimCheck> checks;
  const auto add = [&checks](std::vector<std::string_view> names, const Checked& accepted) {
    checks.push_back({std::move(names), accepted ? std::nullopt : std::optional(accepted.error())});
  };
  const auto times = read_times(claims);
  Caller caller;
  add({"iss"}, check_issuer(claims, settings));
  add({"aud"}, check_audience(claims, settings));
  add({"exp", "nbf"}, times ? check_times(*times, settings, now) : Checked(Refused(times.error())));
  add({"tenantid"}, check_tenant(claims, settings));
  add({"typ", "token_use", "events", "at_hash", "c_hash", "s_hash", "nonce"}, check_kind(claims));
  add({settings.subject_claim, "sub", "client_id", "azp", "idtyp"}, read_identity(claims, settings, caller));
  return checks;
}

}  // namespace portail
