#include "edge/bindings/config-rc/config_rc.h"

#include <cstdint>

#include "edge/config/config_store.hpp"

namespace portail::edge {
namespace {

std::string text_of(const config_rc_string_t& text) { return {reinterpret_cast<const char*>(text.ptr), text.len}; }

}  // namespace

FoundVariable read_config(std::string_view name) {
  // The generated functions take what they only read without const.
  config_rc_string_t key{.ptr = reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())), .len = name.size()};
  config_rc_option_string_t found{};
  config_error_t error{};
  if (!config_get(&key, &found, &error)) {
    std::string reason = text_of(error.tag == CONFIG_ERROR_UPSTREAM ? error.val.upstream : error.val.io);
    config_error_free(&error);
    return std::unexpected(std::move(reason));
  }
  std::optional<std::string> value;
  if (found.is_some) value = text_of(found.val);
  config_rc_option_string_free(&found);
  return value;
}

}  // namespace portail::edge
