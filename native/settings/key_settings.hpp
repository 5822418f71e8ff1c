// What the operator may set of the key set, and what that means. One thread.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "native/keys/https_get.hpp"
#include "native/keys/key_document.hpp"
#include "native/keys/refresh_schedule.hpp"
#include "native/settings/fault.hpp"

namespace portail {

struct KeySettings {
  std::string jwks;  // a file, an https URL, JSON text; empty: what the issuer's discovery document names
  std::string identity_ca;
  std::int64_t refresh_seconds = 300;
  std::int64_t timeout_seconds = 10;
  std::int64_t longest_age_seconds = 86'400;
  std::int64_t pause_seconds = 30;
};

// Declares the flags and their environment variables.
void add_key_options(CLI::App& command, KeySettings& settings);

enum class KeyPlace : std::uint8_t { text, file, network };

struct KeyPlan {
  KeyPlace place = KeyPlace::text;
  HttpsLimits limits;
  RefreshTimes times;
};

// Reads no file. A fault is wrong usage.
std::expected<KeyPlan, Fault> make_key_plan(const KeySettings& settings, const std::string& issuer);

// The document that `settings` name, with their plan.
std::unique_ptr<KeyDocument> make_key_document(const KeySettings& settings, const std::string& issuer,
                                               const KeyPlan& plan);

}  // namespace portail
