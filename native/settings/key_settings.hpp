// Interprets the settings of the key set. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>

#include "core/auth/key_schedule.hpp"
#include "core/auth/key_url.hpp"
#include "native/keys/key_documents.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"

namespace portail {

enum class KeySetLocation : std::uint8_t { text, file, network };

struct KeyPlan {
  KeySetLocation location = KeySetLocation::text;
  std::optional<KeyLocation> url;  // of KeySetLocation::network
  keys::FetchOptions limits;
  RefreshIntervals times;
};

// Reads no file. With Transport::loopback, a URL may be http of a loopback address. A fault is wrong usage.
std::expected<KeyPlan, Fault> make_key_plan(const SettingValues& values, Transport transport);

// Creates the document that the settings name.
std::unique_ptr<keys::Document> make_key_document(const SettingValues& values, const KeyPlan& plan);

}  // namespace portail
