// Header fields that are lists (RFC 9110 section 5.6.1); the lines of a repeated field are one list. Any thread.
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

// Returns the weight of a preference in thousandths (RFC 9110 section 12.4.2). `parameters` is the text after its
// range, with the semicolon. If it is empty, the weight is 1000; if it is not exactly one weight, nullopt.
std::optional<int> weight(std::string_view parameters);

// Calls visit(std::string_view range, std::optional<int> weight) for each preference of a header such as
// Accept-Language.
template <class Visit>
void for_each_preference(const Request& request, std::string_view name, Visit visit) {
  for_each_member(request.headers, name, [&visit](std::string_view member) {
    const std::string_view range = member.substr(0, member.find(';'));
    visit(trimmed(range), weight(member.substr(range.size())));
  });
}

}  // namespace portail
