#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/exchange/contents.hpp"
#include "core/json/writer.hpp"
#include "native/backup/backup_folder.hpp"
#include "native/backup/store_copy.hpp"
#include "native/commands/command.hpp"
#include "native/system/log.hpp"
#include "native/system/system.hpp"
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

// Refuses the folder of a store, or one inside it: a backup locks its folder, and is no part of the store.
std::expected<void, Fault> check_is_outside(const std::string& folder, const StoreUrl& url) {
  std::error_code error;
  const std::filesystem::path store = std::filesystem::weakly_canonical(url.location, error);
  const std::filesystem::path copy = std::filesystem::weakly_canonical(folder, error);
  const auto [rest, unused] = std::ranges::mismatch(store, copy);
  if (error || rest != store.end()) return {};
  return wrong_usage(folder + " is in the folder of the store: name a folder outside it");
}

constexpr std::int64_t max_keep = 10'000;

struct CopyArguments {
  std::string folder;
  std::optional<std::int64_t> keep;
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
  const auto contents = run_ready(count_contents(command.context, *portal->store));
  if (!contents) return failure(folder + " is damaged: " + command.last_warning.text_or(describe(contents.error())));
  return *digest;
}

// Reports a verified copy, and the folders of old ones that were removed for it.
void report_copy(std::string_view done, const StoreDigest& digest, const std::string& folder, bool json,
                 const std::vector<std::filesystem::path>* removed = nullptr) {
  if (!json) {
    print_row(done, format_digest(digest) + ", in " + folder);
    if (!removed) return;
    for (const std::filesystem::path& each : *removed) print_row("removed", each.string());
    return;
  }
  std::string text;
  JsonWriter writer(text);
  writer.begin_object().name("folder").raw(log_string(folder));
  append_members(writer, digest);
  if (removed) {
    writer.name("removed").begin_array();
    for (const std::filesystem::path& each : *removed) writer.raw(log_string(each.string()));
    writer.end_array();
  }
  writer.end_object();
  print_json_line(text);
}

// Copies the store into the folder, and verifies the copy.
std::expected<StoreDigest, Fault> copy_and_verify(const StoreUrl& url, const std::string& from, const std::string& to) {
  if (auto copied = url.scheme->copy(from, to); !copied) return failure(copied.error());
  return verify_copy(to);
}

// One more dated copy beneath the folder, and `keep` of them in the end.
std::expected<void, Fault> rotate_backups(const CopyArguments& arguments, const StoreUrl& url) {
  const std::int64_t keep = *arguments.keep;
  if (keep < 1 || keep > max_keep) {
    return wrong_usage("--keep must be 1 to " + std::to_string(max_keep) + ", not " + std::to_string(keep));
  }
  auto backups = BackupFolder::open(arguments.folder);
  if (!backups) return std::unexpected(backups.error());
  const Instant begin = SystemClock().now();
  const auto digest = copy_and_verify(url, url.location, backups->unfinished());
  if (!digest) return std::unexpected(digest.error());
  const auto made = backups->publish(begin);
  if (!made) return std::unexpected(made.error());
  const auto removed = backups->remove_old(*made, static_cast<std::size_t>(keep));
  if (!removed) return std::unexpected(removed.error());
  report_copy("backed up", *digest, made->string(), arguments.json, &*removed);
  return {};
}

std::expected<void, Fault> run_backup(const CopyArguments& arguments, const SettingValues& values) {
  const auto url = backup_store(values);
  if (!url) return std::unexpected(url.error());
  if (auto outside = check_is_outside(arguments.folder, *url); !outside) return outside;
  if (arguments.keep) return rotate_backups(arguments, *url);
  const auto digest = copy_and_verify(*url, url->location, arguments.folder);
  if (!digest) return std::unexpected(digest.error());
  report_copy("backed up", *digest, arguments.folder, arguments.json);
  return {};
}

std::expected<void, Fault> run_restore(const CopyArguments& arguments, const SettingValues& values) {
  const auto url = backup_store(values);
  if (!url) return std::unexpected(url.error());
  if (const auto newest = newest_backup(arguments.folder)) {
    return failure(arguments.folder + " holds dated backups: name one of them; the newest is " + newest->string());
  }
  // A damaged backup or one of a later version is rejected before the store is written.
  const auto found = verify_copy(arguments.folder);
  if (!found) return std::unexpected(found.error());
  if (!arguments.json) print_row("restoring", format_digest(*found) + ", in " + arguments.folder);
  const auto restored = copy_and_verify(*url, arguments.folder, url->location);
  if (!restored) return std::unexpected(restored.error());
  report_copy("restored", *restored, url->location, arguments.json);
  return {};
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
                       .help = "Folder of the copy, or with --keep of the dated copies; created if missing",
                       .field = &arguments->folder,
                       .variable = "PORTAIL_BACKUP_FOLDER",
                       .is_required = true},
                      {.name = "--keep",
                       .help = "Make a dated folder in FOLDER, and then remove the oldest ones but this number",
                       .field = &arguments->keep,
                       .variable = "PORTAIL_BACKUP_KEEP"},
                      json_option(*arguments)},
          .examples = {"portail backup --store lmdb:data backup", "portail backup --store lmdb:data --keep 7 backups"},
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
