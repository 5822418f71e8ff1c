// Why a request was refused: the value that travels from the check to the answer and to the log lines. Its texts, and
// for operators its cause and remedy, are in core/http/reason_table.hpp. Any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/failure.hpp"

namespace portail {

enum class Reason : std::uint8_t {
  none,
  // 401: no token, or more than one.
  no_token,
  repeated_authorization,
  // 401: the token's form.
  token_too_long,
  token_not_compact,
  header_not_base64url,
  header_not_an_object,
  header_with_crit,
  type_not_accepted,
  algorithm_not_accepted,
  claims_not_base64url,
  claims_not_an_object,
  signature_not_base64url,
  no_signature,
  // 401: its key and signature.
  kid_not_a_string,
  kid_missing,
  kid_unknown,
  algorithm_not_of_key,
  wrong_signature,
  // 401: its claims.
  wrong_issuer,
  wrong_audience,
  audience_not_strings,
  no_expiry,
  expiry_not_a_number,
  start_not_a_number,
  expired,
  not_valid_yet,
  wrong_tenant,
  id_or_refresh_token,
  id_token,
  no_access_token,
  client_not_a_string,
  sub_not_a_string,
  subject_not_a_string,
  subject_size,
  no_subject_and_client,
  // 403.
  not_https,
  not_https_by_proxy,
  not_https_by_proxy_or_loopback,
  no_update_permission,
  no_dashboard_permission,
  no_administration_permission,
  no_subject,
  not_related,
  // 429.
  address_rate,
  subject_rate,
  // 503.
  no_keys,
  store_unavailable,
  timed_out,
  overloaded,
  draining,
};

// Returns the sentence of the log, and of the challenge of a 401: visible ASCII without '"' or '\'. It contains nothing
// of the token or the keys. Empty for `none`.
[[nodiscard]] std::string_view text_of(Reason reason);

// Returns the reason of the 503 that a failure causes; `none` for a failure that causes 500.
constexpr Reason reason_of(Failure failure) {
  if (failure == Failure::unavailable) return Reason::store_unavailable;
  return failure == Failure::cancelled ? Reason::timed_out : Reason::none;
}

}  // namespace portail
