// The bytes of a mail object's template file, from the values that hold its parts. Belongs to one request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// `size` and `hash` as the catalogue has them. Nothing where the bytes are not those of the hash: on a store without
// snapshots an import may be replacing the file just now. One batch.
Task<std::optional<std::string>> read_template_file(Context& context, Session& session, std::uint64_t mail_object,
                                                    std::uint64_t size, std::string_view hash);

// How many values hold a file of that size.
constexpr std::uint32_t count_template_parts(std::uint64_t size) {
  return static_cast<std::uint32_t>((size + largest_value - 1) / largest_value);
}

}  // namespace portail
