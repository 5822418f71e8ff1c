#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/json/writer.hpp"
#include "native/commands/command.hpp"
#include "native/commands/locked_store.hpp"
#include "native/commands/store_copy.hpp"
#include "native/host/progress_bar.hpp"
#include "native/host/terminal.hpp"

namespace portail {
namespace {

struct MigrateArguments {
  std::string from;
  std::string to;
  bool json = false;
};

// A store with the lock that keeps imports out, and what it is called in a line.
struct Side {
  OpenStore portal;
  std::string name;
  HeldImportLock lock = {};
};

std::expected<Side, Fault> open_side(std::string_view argument, const std::string& text, StoreAccess access) {
  auto portal = open_portal(text, argument, access);
  if (!portal) return std::unexpected(portal.error());
  if (!portal->url.scheme->lasts) return wrong_usage(std::string(argument) + ": " + text + " does not last");
  return Side{.portal = std::move(*portal), .name = without_password(text)};
}

std::expected<void, Fault> lock(Side& side) {
  auto taken = lock_for_import(side.portal.url);
  if (!taken) return failure(taken.error());
  side.lock = std::move(*taken);
  return {};
}

// A server that goes on writing to either would write what is lost.
std::expected<void, Fault> check_that_none_else_uses(const Side& side) {
  if (!side.portal.url.scheme->is_shared) return {};
  const auto shared = side.portal.url.scheme->is_shared(*side.portal.store);
  if (!shared) return failure(shared.error());
  if (*shared) return failure(side.name + " is used by another process: stop that process, and migrate again");
  return {};
}

bool is_one_place(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code ignored;
  return std::filesystem::equivalent(one, other, ignored);
}

bool are_one(const std::string& from, const std::string& to) {
  const auto one = parse_store_url(from);
  const auto other = parse_store_url(to);
  if (!one || !other) return false;  // opening says what is wrong
  return from == to || is_one_place(one->folder(), other->folder());
}

// One lock keeps imports out of both.
bool are_in_one_file(const std::string& from, const std::string& to) {
  const auto one = parse_store_url(from);
  const auto other = parse_store_url(to);
  return one && other && is_one_place(one->file(), other->file());
}

std::string holds_others(const Side& from, const Side& to, std::uint64_t keys) {
  return to.name + " holds " + std::to_string(keys) + " keys that " + from.name +
         " does not: empty it, and migrate again";
}

// Why `copy` is not what was copied: one line.
std::string difference(const Side& from, const Side& to, const StoreDigest& before, const StoreDigest& after,
                       const StoreDigest& copy) {
  if (after != before) {
    return from.name + " was changed meanwhile: stop those who write to it, and migrate again; what was copied stays";
  }
  if (copy.keys > after.keys) {
    return holds_others(from, to, copy.keys - after.keys);
  }
  return to.name + " does not hold what was written to it (" + in_words(copy) + ", instead of " + in_words(after) +
         "): migrate again, or choose another store";
}

void print_in_lines(const StoreDigest& digest, std::uint64_t copied) {
  print_row("migrated", in_words(digest));
  if (copied < digest.keys) print_row("copied", std::to_string(copied) + " keys, since the others were there");
}

void print_as_json(const StoreDigest& digest, std::uint64_t copied) {
  std::string text;
  JsonWriter json(text);
  append_members(json.begin_object(), digest);
  json.name("copied").integer(static_cast<std::int64_t>(copied)).end_object();
  print_json_line(text);
}

std::expected<void, Fault> copy(const Side& from, const Side& to, bool json) {
  CommandContext command;
  ProgressBar bar;
  const auto stopped = [&command](Failure why) {
    return failure("the migration stopped: " + command.remarks.text_or(describe(why)) +
                   "; what was copied stays: put this right and migrate again");
  };
  KeyValueStore& source = *from.portal.store;
  LockedStore target(*to.portal.store, *to.portal.url.scheme, to.lock);
  const auto before = digest_of(command.context, source, bar, "counting", 0);
  if (!before) return stopped(before.error());
  const auto foreign = foreign_keys(command.context, source, target, bar);
  if (!foreign) return stopped(foreign.error());
  if (*foreign > 0) return failure(holds_others(from, to, *foreign));
  const auto copied = copy_values(command.context, source, target, bar, before->keys);
  if (!copied) return stopped(copied.error());
  const auto written = digest_of(command.context, target, bar, "verifying", before->keys);
  if (!written) return stopped(written.error());
  const auto after = digest_of(command.context, source, bar, "comparing", before->keys);
  if (!after) return stopped(after.error());
  if (*before != *after || *written != *after) return failure(difference(from, to, *before, *after, *written));
  for (const Side* side : {&from, &to}) {
    if (auto alone = check_that_none_else_uses(*side); !alone) return alone;
  }
  const auto ended = copy_format(command.context, source, target);
  if (!ended) return stopped(ended.error());
  if (!*ended) return failure(from.name + " holds no portal any more");
  (json ? print_as_json : print_in_lines)(*after, *copied);
  return {};
}

std::expected<void, Fault> run_migrate(const MigrateArguments& arguments) {
  if (are_one(arguments.from, arguments.to)) return wrong_usage("FROM and TO are one store");
  if (are_in_one_file(arguments.from, arguments.to)) {
    return wrong_usage("FROM and TO are in one file: migrate to another store, and from there");
  }
  auto from = open_side("FROM", arguments.from, StoreAccess::read);
  if (!from) return std::unexpected(from.error());
  if (from->portal.empty) return failure(from->name + " holds no portal: there is nothing to migrate");
  auto to = open_side("TO", arguments.to, StoreAccess::fill);
  if (!to) return std::unexpected(to.error());
  if (!to->portal.empty) return failure(to->name + " holds a portal already: name an empty store");
  for (Side* side : {&*from, &*to}) {
    if (auto alone = check_that_none_else_uses(*side); !alone) return alone;
    if (auto locked = lock(*side); !locked) return locked;
  }
  return copy(*from, *to, arguments.json);
}

}  // namespace

Command migrate_command() {
  auto arguments = std::make_shared<MigrateArguments>();
  return {.name = "migrate",
          .help = "Copy a store whole into an empty one of any kind, and compare the two",
          .options =
              {{.name = "from", .help = "The store, such as lmdb:data", .field = &arguments->from, .is_required = true},
               {.name = "to",
                .help = "An empty store, made where it is missing, or one that a migration was interrupted in",
                .field = &arguments->to,
                .is_required = true},
               {.name = "--json", .help = "One JSON object instead of lines", .field = &arguments->json}},
          .examples = {"portail migrate lmdb:data redis://127.0.0.1", "portail migrate dir:folder lmdb:data"},
          .run = [arguments](const SettingValues&) { return run_migrate(*arguments); }};
}

}  // namespace portail
