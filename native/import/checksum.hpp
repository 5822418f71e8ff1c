// SHA-256 checksums in the form of `sha256sum`. Any thread.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "native/system/temporary_file.hpp"

namespace portail {

// Returns the checksum, in lower case, of the file `name` in the text: "HASH  NAME" or "HASH *NAME" on each line. One
// line is sufficient whatever its name is, also "HASH" alone. Nullopt if the text has none.
std::optional<std::string> find_checksum(std::string_view text, std::string_view name);

// Returns the checksum of the file, in lower case. The error is a message.
std::expected<std::string, std::string> sha256_of(TemporaryFile& file);

}  // namespace portail
