#include "native/commands/keys.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "core/auth/jwk.hpp"
#include "core/auth/key_generator.hpp"
#include "core/auth/key_set.hpp"
#include "core/base/text.hpp"
#include "core/crypto/hash.hpp"
#include "core/http/request.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"
#include "core/management/key_set.hpp"
#include "core/storage/folder/descriptor.hpp"
#include "native/commands/remote_options.hpp"
#include "native/management/store_management.hpp"
#include "native/system/atomic_file.hpp"
#include "native/system/small_file.hpp"
#include "native/system/system.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

constexpr mode_t owner_only = 0600;
constexpr mode_t world_readable = 0644;

// Fails if the file exists: a lost private key makes its tokens useless.
std::expected<void, Fault> write_new_file(const std::string& file, const std::string& text, mode_t mode) {
  const Descriptor output(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!output && errno == EEXIST) return failure(file + " exists: remove it first, or choose another --output");
  if (!output) return failure("cannot write " + file + ": " + std::strerror(errno));
  auto written = write_all(output.number(), text);
  if (written && fsync(output.number()) != 0) written = std::unexpected(errno);
  if (!written) {
    unlink(file.c_str());
    return failure("cannot write " + file + ": " + std::strerror(written.error()));
  }
  return {};
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const SigningAlgorithm& algorithm : signing_algorithms()) names.emplace_back(algorithm.name);
  return names;
}

struct MakeKeysArguments {
  std::string output;
  std::string algorithm = "EdDSA";
  std::string kid;
};

std::expected<void, Fault> make_keys(const MakeKeysArguments& arguments) {
  const SigningAlgorithm& algorithm = *signing_algorithm_named(arguments.algorithm);  // the option checked its choices
  SystemRandom random;
  std::string kid = arguments.kid;
  if (kid.empty()) {
    std::array<std::byte, 8> bytes;
    random.fill(bytes);
    kid = lower_hex(bytes);
  }
  const std::string set = "{\"keys\":[" + generate_private_jwk(algorithm, kid, random) + "]}";
  return write_new_file(arguments.output, printable_json(set) + '\n', owner_only);
}

struct PublicKeysArguments {
  std::string input;
  std::string output;
};

std::expected<void, Fault> write_public_keys(const PublicKeysArguments& arguments) {
  const auto text = read_small_file(arguments.input, "--input");
  if (!text) return failure(text.error());
  const auto set = verification_key_set(*text);
  if (!set) return failure("the keys " + arguments.input + " cannot be used: " + set.error());
  const bool secret = set->contains("\"kty\":\"oct\"");  // a key for HS256 has no public part
  return write_new_file(arguments.output, printable_json(*set) + '\n', secret ? owner_only : world_readable);
}

std::string text_or_dash(JsonObject key, std::string_view name) {
  return std::string(string_member(key, name).value_or("-"));
}

// Requires a loaded set, so that it is an object with an array "keys".
std::vector<std::optional<JsonObject>> keys_of(const JsonDocument& document) {
  const auto set = object_of(document.root());
  const auto keys = set ? member(*set, "keys") : std::nullopt;
  const auto elements = keys ? array_of(*keys) : std::nullopt;
  std::vector<std::optional<JsonObject>> objects;
  if (elements) std::ranges::transform(*elements, std::back_inserter(objects), object_of);
  return objects;
}

// Prints each key and whether it is used, then all diagnostics.
void print_keys(const JsonDocument& document, const LoadedKeySet& loaded) {
  std::size_t index = 0;
  for (const auto& key : keys_of(document)) {
    if (key) {
      print_line(stdout, "keys[" + std::to_string(index) + "] kid " + text_or_dash(*key, "kid") + ", kty " +
                             text_or_dash(*key, "kty") + ", alg " + text_or_dash(*key, "alg") +
                             (is_refused(loaded, index) ? ": refused" : ": used"));
    }
    ++index;
  }
  for (const KeyDiagnostic& diagnostic : loaded.refusals) print_line(stdout, "refused: " + describe(diagnostic));
  for (const KeyDiagnostic& diagnostic : loaded.notices) print_line(stdout, "notice: " + describe(diagnostic));
}

// The same as one JSON object; a member that is not a string is null.
void print_keys_as_json(const JsonDocument& document, const LoadedKeySet& loaded) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("usable").integer(static_cast<std::int64_t>(loaded.keys.size()));
  json.name("keys").begin_array();
  std::size_t index = 0;
  for (const auto& key : keys_of(document)) {
    json.begin_object();
    for (const std::string_view name : {"kid", "kty", "alg"}) {
      json.name(name).string_or_null(key ? string_member(*key, name) : std::nullopt);
    }
    json.name("used").boolean(!is_refused(loaded, index)).name("remarks").begin_array();
    for (const auto* diagnostics : {&loaded.refusals, &loaded.notices}) {
      for (const KeyDiagnostic& diagnostic : *diagnostics) {
        if (diagnostic.index == index) json.string(diagnostic.text);
      }
    }
    json.end_array().end_object();
    ++index;
  }
  json.end_array().end_object();
  print_json_line(text);
}

struct ShowKeysArguments {
  std::string file;
  bool json = false;
};

std::expected<void, Fault> show_keys(const ShowKeysArguments& arguments) {
  const std::string& file = arguments.file;
  const auto text = read_small_file(file, "FILE");
  if (!text) return failure(text.error());
  const auto loaded = load_key_set(*text);
  if (!loaded) return failure("the key set " + file + " cannot be used: " + loaded.error());
  const auto parsed = parse_keys(*text);
  if (parsed) (arguments.json ? print_keys_as_json : print_keys)(parsed->document, *loaded);
  if (loaded->keys.empty()) return failure("no key of " + file + " is usable: the service would not be ready");
  return {};
}

struct StoreKeysArguments {
  std::string file;
  RemoteArguments remote;
};

std::expected<void, Fault> send_key_set(const StoreKeysArguments& arguments, std::string_view text) {
  const auto client = connect_to(arguments.remote);
  if (!client) return std::unexpected(client.error());
  const auto answer = client->send("PUT", "keys", text, "application/json");
  if (!answer) return std::unexpected(answer.error());
  if (answer->status != 200) return ManagementClient::refused(*answer);
  return {};
}

std::expected<void, Fault> write_key_set(const StoreKeysArguments& arguments, const LoadedKeySet& loaded,
                                         std::string_view text, const SettingValues& values) {
  if (!arguments.remote.to.empty()) return send_key_set(arguments, text);
  auto portal = open_portal(values, StoreAccess::fill);
  if (!portal) return std::unexpected(portal.error());
  return store_key_set(*portal, loaded, text);
}

std::expected<void, Fault> check_and_store(const StoreKeysArguments& arguments, const SettingValues& values) {
  const auto text = read_small_file(arguments.file, "FILE");
  if (!text) return failure(text.error());
  const auto loaded = load_key_set(*text);
  if (!loaded) return failure("the key set " + arguments.file + " cannot be used: " + loaded.error());
  if (const auto fault = private_key_fault(*loaded)) return failure(arguments.file + ": " + *fault);
  if (loaded->keys.empty())
    return failure("no key of " + arguments.file + " is usable: the service would not be ready");
  if (text->size() > max_value_size) {
    return failure("the key set " + arguments.file + " is larger than " + std::to_string(max_value_size) + " bytes");
  }
  if (auto written = write_key_set(arguments, *loaded, *text, values); !written) return written;
  print_line(stdout, counted(loaded->keys.size(), "usable key", "usable keys") + " stored");
  return {};
}

}  // namespace

std::expected<void, Fault> store_key_set(OpenStore& portal, const LoadedKeySet& loaded, std::string_view text) {
  CommandContext command;
  const std::string user = system_user();
  const std::string correlation_id = correlation_id_of({}, command.random);
  const Author author{.route = "portail keys store", .system_user = user, .correlation_id = correlation_id};
  const auto not_stored = [](const std::string& reason) { return failure("the key set was not stored: " + reason); };
  auto lease = run_ready(acquire_import_lease(command.context, portal.url, *portal.store, author));
  if (!lease) return not_stored(command.last_warning.text_or(describe(lease.error())));
  if (!*lease) return not_stored(lease->error());
  const auto stored = run_ready(store_keys(command.context, ***lease, loaded, text, author));
  if (!stored) return not_stored(command.last_warning.text_or(describe(stored.error())));
  return {};
}

Command keys_command() {
  auto make = std::make_shared<MakeKeysArguments>();
  Command make_command{.name = "make",
                       .help = "Create a private key set for development",
                       .options = {{.name = "--output",
                                    .help = "File to create; it must not exist",
                                    .field = &make->output,
                                    .is_required = true},
                                   {.name = "--alg",
                                    .help = "Signing algorithm",
                                    .field = &make->algorithm,
                                    .choices = algorithm_names()},
                                   {.name = "--kid", .help = "Key id (kid); default: random", .field = &make->kid}},
                       .examples = {"portail keys make --output keys.json --alg ES256"},
                       .run = [make](const SettingValues&) { return make_keys(*make); }};

  auto publish = std::make_shared<PublicKeysArguments>();
  Command public_command{
      .name = "public",
      .help = "Write the public keys of a private key set, for --jwks",
      .options = {{.name = "--input", .help = "The private key set", .field = &publish->input, .is_required = true},
                  {.name = "--output",
                   .help = "File to create; it must not exist",
                   .field = &publish->output,
                   .is_required = true}},
      .examples = {"portail keys public --input keys.json --output jwks.json"},
      .run = [publish](const SettingValues&) { return write_public_keys(*publish); }};

  auto shown = std::make_shared<ShowKeysArguments>();
  Command show_command{
      .name = "show",
      .help = "List the keys of a set, and why some are refused",
      .options = {{.name = "FILE", .help = "The key set", .field = &shown->file, .is_required = true},
                  {.name = "--json", .help = "One JSON object instead of lines", .field = &shown->json}},
      .examples = {"portail keys show jwks.json", "portail keys show jwks.json --json | jq .usable"},
      .run = [shown](const SettingValues&) { return show_keys(*shown); }};

  auto stored = std::make_shared<StoreKeysArguments>();
  Command store_command{
      .name = "store",
      .help = "Store a key set, for components without PORTAIL_JWKS",
      .settings = {"store"},
      .options = {{.name = "FILE", .help = "The key set", .field = &stored->file, .is_required = true}},
      .examples = {"portail keys store --store spin-sqlite:.spin/sqlite_key_value.db jwks.json"},
      .run = [stored](const SettingValues& values) { return check_and_store(*stored, values); }};
  add_remote_options(store_command.options, stored->remote);

  return {.name = "keys",
          .help = "Create, show and store key sets",
          .commands = {std::move(make_command), std::move(public_command), std::move(show_command),
                       std::move(store_command)}};
}

}  // namespace portail
