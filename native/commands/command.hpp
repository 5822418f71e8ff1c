// What the commands share: how they are declared, how they end, and what they hand to the core. One thread.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/storage/key_value_store.hpp"
#include "native/command_line/command_line.hpp"
#include "native/host/last_remark.hpp"
#include "native/host/system.hpp"
#include "native/stores/store_url.hpp"

namespace portail {

// Each declares one subcommand.
Command serve_command();
Command check_command();
Command import_command();
Command export_command();
Command migrate_command();
Command backup_command();
Command restore_command();
Command audit_command();
Command status_command();
Command token_command();
Command keys_command();
Command version_command();
// What is written of the program's own words; it outlives them.
Command completions_command(const Command& program);
Command manual_command(const Command& program);

// One long request: what a command does with the core.
struct CommandContext {
  SystemClock clock;
  SystemRandom random;
  LastRemark remarks;
  FrameArena frames;
  Context context{.clock = clock, .random = random, .log = remarks, .frames = frames};
};

struct OpenStore {
  StoreUrl url;
  std::unique_ptr<KeyValueStore> store;
  bool empty = false;  // nothing was imported yet
};

// Opens the store of the setting, and refuses one that a later version of this program wrote.
std::expected<OpenStore, Fault> open_portal(const SettingValues& values, StoreAccess access);
// The same of a store that is not the setting's: `where` says in a fault where its text stands.
std::expected<OpenStore, Fault> open_portal(const std::string& text, std::string_view where, StoreAccess access);

}  // namespace portail
