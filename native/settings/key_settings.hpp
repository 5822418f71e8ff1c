// Interprets the settings of the key set. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>

#include "native/keys/https_get.hpp"
#include "native/keys/key_document.hpp"
#include "native/keys/refresh_schedule.hpp"
#include "native/settings/fault.hpp"
#include "native/settings/setting_values.hpp"

namespace portail {

enum class KeySetLocation : std::uint8_t { text, file, network };

struct KeyPlan {
  KeySetLocation location = KeySetLocation::text;
  keys::HttpsOptions limits;
  keys::RefreshIntervals times;
};

// Reads no file. A fault is wrong usage.
std::expected<KeyPlan, Fault> make_key_plan(const SettingValues& values);

// Creates the document that the settings name.
std::unique_ptr<keys::Document> make_key_document(const SettingValues& values, const KeyPlan& plan);

}  // namespace portail
