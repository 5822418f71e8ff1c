// Who may use the management interface (docs/reference/management.md). The permission is in the token, or the operator
// names the subject: stored grants never give it, so that a writer of grants cannot become an administrator.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/auth/caller.hpp"

namespace portail {

inline constexpr std::string_view administration_permission = "PortailClients.Administration";

// `subjects` are those of the setting; they do not apply to a token without a subject.
[[nodiscard]] bool may_administer(const Caller& caller, std::span<const std::string> subjects);

}  // namespace portail
