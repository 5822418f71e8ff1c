// The header under which a template file is downloaded (RFC 6266, RFC 8187; docs/reference/contract.md, "Answers:
// template file"). Any thread.
#pragma once

#include <string>
#include <string_view>

namespace portail {

// attachment; filename="…"; filename*=UTF-8''…  for a name in UTF-8. In the first, what not every client reads the same
// way becomes `_`: each character beyond ASCII, controls, `"`, `\` and `%`.
std::string attachment_header(std::string_view file_name);

}  // namespace portail
