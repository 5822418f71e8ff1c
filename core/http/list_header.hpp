// Header fields that are lists (RFC 9110 section 5.6.1): the lines of a repeated one are one list. Any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/http/grammar.hpp"
#include "core/http/request.hpp"

namespace portail {

// Calls visit(std::string_view) for each member of the lists of that name, in order; empty ones too.
template <class Visit>
void for_each_member(std::span<const HeaderView> headers, std::string_view name, Visit visit) {
  for (const HeaderView& header : headers) {
    if (!equals_ignoring_case(header.name, name)) continue;
    for (std::string_view list = header.value; !list.empty();) visit(take_item(list, ','));
  }
}

// The weight of a preference in thousandths (RFC 9110 section 12.4.2), `parameters` being what follows its range, with
// the semicolon: 1000 where there is nothing; nullopt where it is anything but one weight.
std::optional<int> weight(std::string_view parameters);

// Calls visit(std::string_view range, std::optional<int> weight) for each preference of Accept-Language and its like.
template <class Visit>
void for_each_preference(const Request& request, std::string_view name, Visit visit) {
  for_each_member(request.headers, name, [&visit](std::string_view member) {
    const std::string_view range = member.substr(0, member.find(';'));
    visit(trimmed(range), weight(member.substr(range.size())));
  });
}

}  // namespace portail
