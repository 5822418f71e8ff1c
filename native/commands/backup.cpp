#include <memory>
#include <string>
#include <string_view>

#include "core/json/writer.hpp"
#include "native/commands/command.hpp"
#include "native/commands/store_copy.hpp"
#include "native/system/log.hpp"
#include "native/system/progress_bar.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

// The store of the setting, if it is of a kind that is backed up as a file.
std::expected<StoreUrl, Fault> backup_store(const SettingValues& values) {
  auto url = parse_store_url(values.text("store"));
  if (!url) return wrong_usage(values.where("store") + ": " + url.error());
  if (!url->scheme->copy) {
    return wrong_usage(values.where("store") + ": only lmdb: stores can be backed up and restored; " +
                       without_password(values.text("store")) +
                       " can be copied by portail migrate, or by its engine's own tools");
  }
  return std::move(*url);
}

struct CopyArguments {
  std::string folder;
  bool json = false;
};

// Checks that the copy is a portal of this version and reads it completely.
std::expected<StoreDigest, Fault> verify_copy(const std::string& folder) {
  const auto portal = open_portal("lmdb:" + folder, folder, StoreAccess::read);
  if (!portal) return std::unexpected(portal.error());
  if (portal->empty) return failure(folder + " holds no portal");
  CommandContext command;
  ProgressBar bar;
  const auto digest = digest_of(command.context, *portal->store, bar, "reading", 0);
  if (!digest) return failure(folder + " cannot be read: " + command.last_warning.text_or(describe(digest.error())));
  return *digest;
}

// Verifies and reports a finished copy.
std::expected<void, Fault> report_copy(std::string_view done, const std::string& folder, bool json) {
  const auto digest = verify_copy(folder);
  if (!digest) return std::unexpected(digest.error());
  if (!json) {
    print_row(done, format_digest(*digest) + ", in " + folder);
    return {};
  }
  std::string text;
  JsonWriter writer(text);
  writer.begin_object().name("folder").raw(log_string(folder));
  append_members(writer, *digest);
  writer.end_object();
  print_json_line(text);
  return {};
}

std::expected<void, Fault> run_backup(const CopyArguments& arguments, const SettingValues& values) {
  const auto url = backup_store(values);
  if (!url) return std::unexpected(url.error());
  if (auto copied = url->scheme->copy(url->location, arguments.folder); !copied) return failure(copied.error());
  return report_copy("backed up", arguments.folder, arguments.json);
}

std::expected<void, Fault> run_restore(const CopyArguments& arguments, const SettingValues& values) {
  const auto url = backup_store(values);
  if (!url) return std::unexpected(url.error());
  // A damaged backup or one of a later version is rejected before the store is written.
  const auto found = verify_copy(arguments.folder);
  if (!found) return std::unexpected(found.error());
  if (!arguments.json) print_row("restoring", format_digest(*found) + ", in " + arguments.folder);
  if (auto copied = url->scheme->copy(arguments.folder, url->location); !copied) return failure(copied.error());
  return report_copy("restored", url->location, arguments.json);
}

CommandOption json_option(CopyArguments& arguments) {
  return {.name = "--json", .help = "One JSON object instead of lines", .field = &arguments.json};
}

}  // namespace

Command backup_command() {
  auto arguments = std::make_shared<CopyArguments>();
  return {.name = "backup",
          .help = "Copy an lmdb: store into a folder, also while it is served, and verify the copy",
          .settings = {"store"},
          .options = {{.name = "FOLDER",
                       .help = "Folder of the copy; created if missing",
                       .field = &arguments->folder,
                       .is_required = true},
                      json_option(*arguments)},
          .examples = {"portail backup --store lmdb:data backup"},
          .run = [arguments](const SettingValues& values) { return run_backup(*arguments, values); }};
}

Command restore_command() {
  auto arguments = std::make_shared<CopyArguments>();
  return {.name = "restore",
          .help = "Create an lmdb: store from a backup",
          .settings = {"store"},
          .options = {{.name = "FOLDER", .help = "The backup", .field = &arguments->folder, .is_required = true},
                      json_option(*arguments)},
          .examples = {"portail restore --store lmdb:data backup"},
          .run = [arguments](const SettingValues& values) { return run_restore(*arguments, values); }};
}

}  // namespace portail
