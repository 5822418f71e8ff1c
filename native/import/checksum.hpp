// SHA-256 checksums in the form of `sha256sum`. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portail {

// Returns the checksum, in lower case, of the file `name` in the text: "HASH  NAME" or "HASH *NAME" on each line. One
// line is sufficient whatever its name is, also "HASH" alone. Nullopt if the text has none.
std::optional<std::string> find_checksum(std::string_view text, std::string_view name);

}  // namespace portail
