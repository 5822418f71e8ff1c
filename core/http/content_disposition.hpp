// The Content-Disposition of a template file (RFC 6266, RFC 8187; docs/reference/contract.md, "Answers:
// template file"). Any thread.
#pragma once

#include <string>
#include <string_view>

namespace portail {

// Returns `attachment; filename="…"; filename*=UTF-8''…` for a name in UTF-8. In the first, characters that clients
// interpret differently are `_`: those beyond ASCII, controls, `"`, `\` and `%`.
std::string attachment_header(std::string_view file_name);

}  // namespace portail
