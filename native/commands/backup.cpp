#include <memory>
#include <string>
#include <string_view>

#include "core/json/writer.hpp"
#include "native/commands/command.hpp"
#include "native/commands/store_copy.hpp"
#include "native/host/log.hpp"
#include "native/host/progress_bar.hpp"
#include "native/host/terminal.hpp"

namespace portail {
namespace {

// The setting's store, of a kind that this program copies as a file.
std::expected<StoreUrl, Fault> copied_store(const SettingValues& values) {
  auto url = parse_store_url(values.text("store"));
  if (!url) return wrong_usage(values.where("store") + ": " + url.error());
  if (!url->scheme->copy) {
    return wrong_usage(values.where("store") + ": only an lmdb: store is backed up and restored this way; " +
                       without_password(values.text("store")) + " is copied by its own means, or by portail migrate");
  }
  return std::move(*url);
}

struct CopyArguments {
  std::string folder;
  bool json = false;
};

// A copy that is a portal of this version, or why it is none.
std::expected<StoreDigest, Fault> look_at_copy(const std::string& folder) {
  const auto portal = open_portal("lmdb:" + folder, folder, StoreAccess::read);
  if (!portal) return std::unexpected(portal.error());
  if (portal->empty) return failure(folder + " holds no portal");
  CommandContext command;
  ProgressBar bar;
  const auto digest = digest_of(command.context, *portal->store, bar, "reading", 0);
  if (!digest) return failure(folder + " cannot be read: " + command.remarks.text_or(describe(digest.error())));
  return *digest;
}

// Of a copy that was made, in the end.
std::expected<void, Fault> tell_what_it_holds(std::string_view done, const std::string& folder, bool json) {
  const auto digest = look_at_copy(folder);
  if (!digest) return std::unexpected(digest.error());
  if (!json) {
    print_row(done, in_words(*digest) + ", in " + folder);
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

std::expected<void, Fault> back_up(const CopyArguments& arguments, const SettingValues& values) {
  const auto url = copied_store(values);
  if (!url) return std::unexpected(url.error());
  if (auto copied = url->scheme->copy(url->place, arguments.folder); !copied) return failure(copied.error());
  return tell_what_it_holds("backed up", arguments.folder, arguments.json);
}

std::expected<void, Fault> restore(const CopyArguments& arguments, const SettingValues& values) {
  const auto url = copied_store(values);
  if (!url) return std::unexpected(url.error());
  // A damaged backup, or one of a later version, is refused before anything is made of it.
  const auto found = look_at_copy(arguments.folder);
  if (!found) return std::unexpected(found.error());
  if (!arguments.json) print_row("restoring", in_words(*found) + ", in " + arguments.folder);
  if (auto copied = url->scheme->copy(arguments.folder, url->place); !copied) return failure(copied.error());
  return tell_what_it_holds("restored", url->place, arguments.json);
}

CommandOption json_option(CopyArguments& arguments) {
  return {.name = "--json", .help = "One JSON object instead of lines", .field = &arguments.json};
}

}  // namespace

Command backup_command() {
  auto arguments = std::make_shared<CopyArguments>();
  return {.name = "backup",
          .help = "Copy an lmdb: store into a folder, while it is served, and read the copy whole",
          .settings = {"store"},
          .options = {{.name = "folder",
                       .help = "Where the copy goes; made where it is missing",
                       .field = &arguments->folder,
                       .is_required = true},
                      json_option(*arguments)},
          .examples = {"portail backup --store lmdb:data backup"},
          .run = [arguments](const SettingValues& values) { return back_up(*arguments, values); }};
}

Command restore_command() {
  auto arguments = std::make_shared<CopyArguments>();
  return {.name = "restore",
          .help = "Make an lmdb: store of a backup",
          .settings = {"store"},
          .options = {{.name = "folder", .help = "The backup", .field = &arguments->folder, .is_required = true},
                      json_option(*arguments)},
          .examples = {"portail restore --store lmdb:data backup"},
          .run = [arguments](const SettingValues& values) { return restore(*arguments, values); }};
}

}  // namespace portail
