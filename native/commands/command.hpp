// Shared by the commands: their declarations, and the context and store for calls of the core. One thread.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/storage/key_value_store.hpp"
#include "native/command_line/command_line.hpp"
#include "native/stores/store_url.hpp"
#include "native/system/log.hpp"
#include "native/system/system.hpp"

namespace portail {

// Each function declares one subcommand.
Command serve_command();
Command check_command();
Command explain_command();
Command import_command();
Command export_command();
Command migrate_command();
Command backup_command();
Command restore_command();
Command audit_command();
Command person_command();
Command touch_command();
Command status_command();
Command shadow_command();
Command development_command();
Command token_command();
Command keys_command();
Command version_command();
// Commands that print completions and the manual of `program`, which must outlive them.
Command completions_command(const Command& program);
Command manual_command(const Command& program);

// The context of a command's calls of the core.
struct CommandContext {
  SystemClock clock;
  SystemRandom random;
  LastWarning last_warning;
  FrameArena frames;
  Context context{.clock = clock, .random = random, .log = last_warning, .frames = frames};
};

inline constexpr std::string_view interrupted_import =
    "an import was interrupted, or is running; unless one is running, import the document again";

struct OpenStore {
  StoreUrl url;
  std::unique_ptr<KeyValueStore> store;
  bool empty = false;  // no document was imported yet
};

// Opens the store of the setting. A store written by a later version is a fault.
std::expected<OpenStore, Fault> open_portal(const SettingValues& values, StoreAccess access);
// The same for the store URL `text`; `where` names its source in faults.
std::expected<OpenStore, Fault> open_portal(const std::string& text, std::string_view where, StoreAccess access);

}  // namespace portail
