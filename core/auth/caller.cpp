#include "core/auth/caller.hpp"

#include <algorithm>

namespace portail {

bool may_administer(const Caller& caller, std::span<const std::string> subjects) {
  return caller.has_administration ||
         (!caller.subject.empty() && std::ranges::find(subjects, caller.subject) != subjects.end());
}

}  // namespace portail
