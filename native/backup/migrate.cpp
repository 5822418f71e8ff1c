#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/json/writer.hpp"
#include "native/backup/store_copy.hpp"
#include "native/commands/command.hpp"
#include "native/stores/format_revalidating_store.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

struct MigrateArguments {
  std::string from;
  std::string to;
  bool json = false;
};

// A store of a migration, its import lock, and its name in messages.
struct MigrationStore {
  OpenStore portal;
  std::string name;
  HeldImportLock lock = {};
};

std::expected<MigrationStore, Fault> open_migration_store(std::string_view argument, const std::string& text,
                                                          StoreAccess access) {
  auto portal = open_portal(text, argument, access);
  if (!portal) return std::unexpected(portal.error());
  if (!portal->url.scheme->is_persistent)
    return wrong_usage(std::string(argument) + ": " + text + " is not persistent");
  return MigrationStore{.portal = std::move(*portal), .name = without_password(text)};
}

std::expected<void, Fault> lock(MigrationStore& store) {
  auto acquired = acquire_import_lock(store.portal.url);
  if (!acquired) return failure(acquired.error());
  store.lock = std::move(*acquired);
  return {};
}

// A server that still writes to one of the stores would lose its changes.
std::expected<void, Fault> check_not_shared(const MigrationStore& store) {
  if (!store.portal.url.scheme->is_shared) return {};
  const auto shared = store.portal.url.scheme->is_shared(*store.portal.store);
  if (!shared) return failure(shared.error());
  if (*shared) return failure(store.name + " is used by another process: stop that process, and migrate again");
  return {};
}

bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code ignored;
  return std::filesystem::equivalent(one, other, ignored);
}

bool are_same_store(const std::string& from, const std::string& to) {
  const auto one = parse_store_url(from);
  const auto other = parse_store_url(to);
  if (!one || !other) return false;  // opening reports the error
  return from == to || is_same_file(one->folder(), other->folder());
}

// Whether both are in one file, with one import lock.
bool share_file(const std::string& from, const std::string& to) {
  const auto one = parse_store_url(from);
  const auto other = parse_store_url(to);
  return one && other && is_same_file(one->file(), other->file());
}

std::string foreign_keys_message(const MigrationStore& from, const MigrationStore& to, std::uint64_t keys) {
  return to.name + " holds " + counted(keys, "key", "keys") + " that " + from.name +
         " does not: empty it, and migrate again";
}

// Why the copy differs, one line.
std::string difference_message(const MigrationStore& from, const MigrationStore& to, const StoreDigest& before,
                               const StoreDigest& after, const StoreDigest& copy) {
  if (after != before) {
    return from.name +
           " was changed during the migration: stop the processes that write to it, and migrate again; the copied keys "
           "stay";
  }
  if (copy.keys > after.keys) {
    return foreign_keys_message(from, to, copy.keys - after.keys);
  }
  return to.name + " does not contain what was written to it (" + format_digest(copy) + ", instead of " +
         format_digest(after) + "): migrate again, or choose another store";
}

void print_as_text(const StoreDigest& digest, std::uint64_t copied) {
  print_row("migrated", format_digest(digest));
  if (copied < digest.keys) print_row("copied", counted(copied, "key", "keys") + ", since the others were there");
}

void print_as_json(const StoreDigest& digest, std::uint64_t copied) {
  std::string text;
  JsonWriter json(text);
  append_members(json.begin_object(), digest);
  json.name("copied").integer(static_cast<std::int64_t>(copied)).end_object();
  print_json_line(text);
}

std::expected<void, Fault> copy(const MigrationStore& from, const MigrationStore& to, bool json) {
  CommandContext command;
  ProgressBar bar;
  const auto stopped = [&command](Failure why) {
    return failure("the migration stopped: " + command.last_warning.text_or(describe(why)) +
                   "; the copied keys stay: fix the cause and migrate again");
  };
  KeyValueStore& source = *from.portal.store;
  LockedStore target(*to.portal.store, *to.portal.url.scheme, to.lock);
  const auto before = digest_of(command.context, source, bar, "counting", 0);
  if (!before) return stopped(before.error());
  const auto foreign = foreign_keys(command.context, source, target, bar);
  if (!foreign) return stopped(foreign.error());
  if (*foreign > 0) return failure(foreign_keys_message(from, to, *foreign));
  const auto copied = copy_values(command.context, source, target, bar, before->keys);
  if (!copied) return stopped(copied.error());
  const auto written = digest_of(command.context, target, bar, "verifying", before->keys);
  if (!written) return stopped(written.error());
  const auto after = digest_of(command.context, source, bar, "comparing", before->keys);
  if (!after) return stopped(after.error());
  if (*before != *after || *written != *after) return failure(difference_message(from, to, *before, *after, *written));
  for (const MigrationStore* store : {&from, &to}) {
    if (auto checked = check_not_shared(*store); !checked) return checked;
  }
  const auto format_copied = copy_format(command.context, source, target);
  if (!format_copied) return stopped(format_copied.error());
  if (!*format_copied) return failure(from.name + " holds no portal any more");
  (json ? print_as_json : print_as_text)(*after, *copied);
  return {};
}

std::expected<void, Fault> run_migrate(const MigrateArguments& arguments) {
  if (are_same_store(arguments.from, arguments.to)) return wrong_usage("FROM and TO are one store");
  if (share_file(arguments.from, arguments.to)) {
    return wrong_usage("FROM and TO are in one file: migrate to another store, and from there");
  }
  auto from = open_migration_store("FROM", arguments.from, StoreAccess::read);
  if (!from) return std::unexpected(from.error());
  if (from->portal.empty) return failure(from->name + " holds no portal: there is nothing to migrate");
  auto to = open_migration_store("TO", arguments.to, StoreAccess::fill);
  if (!to) return std::unexpected(to.error());
  if (!to->portal.empty) return failure(to->name + " already holds a portal: name an empty store");
  for (MigrationStore* store : {&*from, &*to}) {
    if (auto checked = check_not_shared(*store); !checked) return checked;
    if (auto locked = lock(*store); !locked) return locked;
  }
  return copy(*from, *to, arguments.json);
}

}  // namespace

Command migrate_command() {
  auto arguments = std::make_shared<MigrateArguments>();
  return {.name = "migrate",
          .help = "Copy a complete store into an empty one of any kind, and compare both",
          .options =
              {{.name = "FROM", .help = "The store, such as lmdb:data", .field = &arguments->from, .is_required = true},
               {.name = "TO",
                .help = "An empty store, created if missing, or the target of an interrupted migration",
                .field = &arguments->to,
                .is_required = true},
               {.name = "--json", .help = "One JSON object instead of lines", .field = &arguments->json}},
          .examples = {"portail migrate lmdb:data redis://127.0.0.1", "portail migrate dir:folder lmdb:data"},
          .run = [arguments](const SettingValues&) { return run_migrate(*arguments); }};
}

}  // namespace portail
