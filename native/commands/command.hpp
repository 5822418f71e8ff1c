// What the commands share: how they are declared, how they end, and what they hand to the core. One thread.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "core/base/context.hpp"
#include "core/storage/key_value_store.hpp"
#include "native/host/system.hpp"
#include "native/settings/fault.hpp"
#include "native/stores/store_url.hpp"

namespace portail {

// Each declares one subcommand; `status` is what the program ends with once it has run.
void add_serve_command(CLI::App& program, ExitStatus& status);
void add_check_command(CLI::App& program, ExitStatus& status);
void add_import_command(CLI::App& program, ExitStatus& status);
void add_export_command(CLI::App& program, ExitStatus& status);
void add_audit_command(CLI::App& program, ExitStatus& status);
void add_token_command(CLI::App& program, ExitStatus& status);
void add_keys_command(CLI::App& program, ExitStatus& status);

// Runs `body` when the command line names `command`; its fault becomes one line on standard error.
void on_command(CLI::App& command, ExitStatus& status, std::function<std::expected<void, Fault>()> body);
// One line on standard error, "portail: …".
void tell(std::string_view line);

// Keeps what the core and the stores have to say until a command can put it into its one line.
class LastRemark final : public Log {
 public:
  void warn(std::string_view event, std::string_view detail) override;
  // `otherwise` where nothing was said.
  [[nodiscard]] std::string text_or(std::string_view otherwise) const;

 private:
  std::string text_;
};

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

// Opens the store that `text` names, and refuses one that a later version of this program wrote.
std::expected<OpenStore, Fault> open_portal(const std::string& text, StoreAccess access);

}  // namespace portail
