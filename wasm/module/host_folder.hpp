// A store in a folder of the host (wasm/abi/portail.h, "Folders"): core/storage/folder over the imports of files.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail::wasm {

// Opens the host's folder of that number. Reads are done when they return; writes are operations of the host, whose
// `work` write_in_host_folder() does. `name` is the folder's in the error, one line for the operator. `create`: makes
// the folder if it is missing, and accepts an empty one.
std::expected<std::unique_ptr<KeyValueStore>, std::string> open_host_folder(std::uint32_t folder,
                                                                            const std::string& name, bool create);

// Does the work of an operation of such a store, in this or another instance. Returns the operation's status. Blocks.
std::uint32_t write_in_host_folder(std::uint32_t folder, std::string_view work);

}  // namespace portail::wasm
