// Who sent a request, as a verified token says (docs/reference/contract.md, "Who sees what"). A plain value, owning its
// bytes; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/auth/permissions.hpp"

namespace portail {

struct Caller {
  // The subject claim: 1 to 255 bytes of UTF-8; empty for a client whose token has none. Such a caller has no bundles.
  std::string subject;
  std::string client;              // client_id, else azp; empty when the token names no client
  bool is_client_itself = false;   // the client's own token, not that of a user who came through it
  std::vector<std::string> roles;  // in the token's order, each once
  PermissionSet permissions;       // those of the token's permissions claim; grants come on top: core/auth/grants.hpp
  // What the token tells of the person; empty where it does not.
  std::string user_name;   // preferred_username, unique_name or name
  std::string first_name;  // given_name, else name
  std::string last_name;   // family_name
  std::string email;
  bool email_verified = false;
};

}  // namespace portail
