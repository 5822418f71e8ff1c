// The caller of a request, from its verified token (docs/reference/contract.md, "Who sees what"). A plain value that
// owns its bytes; any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/auth/permissions.hpp"

namespace portail {

struct Caller {
  // The subject claim: 1 to 255 bytes of UTF-8; empty for a client whose token has no subject. Such a caller has no
  // bundles.
  std::string subject;
  std::string client;              // client_id, else azp; empty: neither
  bool is_client_token = false;    // the client's own token, not one of a user of the client
  std::vector<std::string> roles;  // in the token's order, each once
  PermissionSet permissions;       // of the token's permissions claim; without grants (core/auth/grants.hpp)
  // The token itself gives PortailClients.Administration (may_administer).
  bool has_administration = false;
  // The token's profile claims; empty if missing.
  std::string user_name;   // preferred_username, unique_name or name
  std::string first_name;  // given_name, else name
  std::string last_name;   // family_name
  std::string email;
  bool email_verified = false;
};

// Who may use the management interface (docs/reference/management.md). The permission is in the token, or the operator
// names the subject: stored grants never give it, so that a writer of grants cannot become an administrator.

inline constexpr std::string_view administration_permission = "PortailClients.Administration";

// `subjects` are those of the setting; they do not apply to a token without a subject.
[[nodiscard]] bool may_administer(const Caller& caller, std::span<const std::string> subjects);

}  // namespace portail
