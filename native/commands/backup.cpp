#include <memory>
#include <string>
#include <string_view>

#include "native/commands/command.hpp"
#include "native/commands/store_copy.hpp"
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

// A copy that is a portal of this version, or why it is none.
std::expected<void, Fault> tell_what_it_holds(std::string_view done, const std::string& folder) {
  const auto portal = open_portal("lmdb:" + folder, folder, StoreAccess::read);
  if (!portal) return std::unexpected(portal.error());
  if (portal->empty) return failure(folder + " holds no portal");
  CommandContext command;
  ProgressBar bar;
  const auto digest = digest_of(command.context, *portal->store, bar, "reading", 0);
  if (!digest) return failure(folder + " cannot be read: " + command.remarks.text_or(describe(digest.error())));
  print_row(done, in_words(*digest) + ", in " + folder);
  return {};
}

std::expected<void, Fault> back_up(const std::string& folder, const SettingValues& values) {
  const auto url = copied_store(values);
  if (!url) return std::unexpected(url.error());
  if (auto copied = url->scheme->copy(url->place, folder); !copied) return failure(copied.error());
  return tell_what_it_holds("backed up", folder);
}

std::expected<void, Fault> restore(const std::string& folder, const SettingValues& values) {
  const auto url = copied_store(values);
  if (!url) return std::unexpected(url.error());
  // A damaged backup, or one of a later version, is refused before anything is made of it.
  if (auto checked = tell_what_it_holds("restoring", folder); !checked) return checked;
  if (auto copied = url->scheme->copy(folder, url->place); !copied) return failure(copied.error());
  return tell_what_it_holds("restored", url->place);
}

}  // namespace

Command backup_command() {
  auto folder = std::make_shared<std::string>();
  return {.name = "backup",
          .help = "Copy an lmdb: store into a folder, while it is served, and read the copy whole",
          .settings = {"store"},
          .options = {{.name = "folder",
                       .help = "Where the copy goes; made where it is missing",
                       .field = folder.get(),
                       .is_required = true}},
          .examples = {"portail backup --store lmdb:data backup"},
          .run = [folder](const SettingValues& values) { return back_up(*folder, values); }};
}

Command restore_command() {
  auto folder = std::make_shared<std::string>();
  return {.name = "restore",
          .help = "Make an lmdb: store of a backup",
          .settings = {"store"},
          .options = {{.name = "folder", .help = "The backup", .field = folder.get(), .is_required = true}},
          .examples = {"portail restore --store lmdb:data backup"},
          .run = [folder](const SettingValues& values) { return restore(*folder, values); }};
}

}  // namespace portail
