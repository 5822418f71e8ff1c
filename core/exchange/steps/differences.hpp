// Compares two versions of an entity: returns the document's names of the members that differ. Pure functions; any
// thread.
#pragma once

#include <string_view>
#include <vector>

#include "core/exchange/steps/mail_objects.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/portal/records/third_party.hpp"

namespace portail {

using MemberNames = std::vector<std::string_view>;

MemberNames differences(const ThirdParty& before, const ThirdParty& after);
MemberNames differences(const Bundle& before, const Bundle& after);
MemberNames differences(const OwnedMailObject& before, const OwnedMailObject& after);
MemberNames differences(const Configuration& before, const Configuration& after);

}  // namespace portail
