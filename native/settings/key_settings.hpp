// What the settings of the key set mean. One thread.
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

enum class KeyPlace : std::uint8_t { text, file, network };

struct KeyPlan {
  KeyPlace place = KeyPlace::text;
  HttpsLimits limits;
  RefreshTimes times;
};

// Reads no file. A fault is wrong usage.
std::expected<KeyPlan, Fault> make_key_plan(const SettingValues& values);

// The document that the settings name, with their plan.
std::unique_ptr<KeyDocument> make_key_document(const SettingValues& values, const KeyPlan& plan);

}  // namespace portail
