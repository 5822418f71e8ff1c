// A template file that was sent for the next import, kept in the store beside the files that clients read
// (docs/reference/storage-layout.md, "Keys"). One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Stores the file of a mail object, which need not exist yet; replaces an earlier deposit.
Task<void> deposit_template(Context& context, KeyValueStore& store, std::uint64_t mail_object, std::string_view bytes);
// Returns the deposited file, or nullopt. An incomplete deposit does not count.
Task<std::optional<std::string>> read_deposit(Context& context, KeyValueStore& store, std::uint64_t mail_object);
Task<void> remove_deposit(Context& context, KeyValueStore& store, std::uint64_t mail_object);

}  // namespace portail
