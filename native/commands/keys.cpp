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

#include "core/auth/key_maker.hpp"
#include "core/auth/key_set.hpp"
#include "core/base/hexadecimal.hpp"
#include "core/base/printable.hpp"
#include "core/crypto/hash.hpp"
#include "core/files/descriptor.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"
#include "native/commands/command.hpp"
#include "native/host/small_file.hpp"
#include "native/host/terminal.hpp"
#include "native/host/whole_file.hpp"

namespace portail {
namespace {

constexpr mode_t owner_only = 0600;
constexpr mode_t for_everybody = 0644;

// Never over a file that exists: a key that is gone makes every token of it worthless.
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

struct MakeArguments {
  std::string output;
  std::string algorithm = "EdDSA";
  std::string kid;
};

std::expected<void, Fault> make_keys(const MakeArguments& arguments) {
  const SigningAlgorithm& algorithm = *signing_algorithm_named(arguments.algorithm);  // one of the option's choices
  SystemRandom random;
  std::string kid = arguments.kid;
  if (kid.empty()) {
    std::array<std::byte, 8> bytes;
    random.fill(bytes);
    kid = lower_hex(bytes);
  }
  const std::string set = "{\"keys\":[" + make_private_jwk(algorithm, kid, random) + "]}";
  return write_new_file(arguments.output, printable_json(set) + '\n', owner_only);
}

struct PublicArguments {
  std::string input;
  std::string output;
};

std::expected<void, Fault> write_public_keys(const PublicArguments& arguments) {
  const auto text = read_small_file(arguments.input, "--input");
  if (!text) return failure(text.error());
  const auto set = verification_key_set(*text);
  if (!set) return failure("the keys " + arguments.input + " cannot be used: " + set.error());
  const bool secret = set->contains("\"kty\":\"oct\"");  // HS256 has no public half
  return write_new_file(arguments.output, printable_json(*set) + '\n', secret ? owner_only : for_everybody);
}

std::string text_or_dash(JsonObject key, std::string_view name) {
  return std::string(string_member(key, name).value_or("-"));
}

// Of a set that was loaded, so that it is an object with an array "keys".
std::vector<std::optional<JsonObject>> keys_of(const JsonDocument& document) {
  const auto set = object_of(document.root());
  const auto keys = set ? member(*set, "keys") : std::nullopt;
  const auto elements = keys ? array_of(*keys) : std::nullopt;
  std::vector<std::optional<JsonObject>> objects;
  if (elements) std::ranges::transform(*elements, std::back_inserter(objects), object_of);
  return objects;
}

bool is_refused(const LoadedKeySet& loaded, std::size_t index) {
  return std::ranges::contains(loaded.refusals, index, &KeyRemark::index);
}

// Each key of the set and whether it is used, then every remark.
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
  for (const KeyRemark& remark : loaded.refusals) print_line(stdout, "refused: " + describe(remark));
  for (const KeyRemark& remark : loaded.notices) print_line(stdout, "notice: " + describe(remark));
}

// The same as one JSON object; null is a member that is no text.
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
    for (const auto* remarks : {&loaded.refusals, &loaded.notices}) {
      for (const KeyRemark& remark : *remarks) {
        if (remark.index == index) json.string(remark.text);
      }
    }
    json.end_array().end_object();
    ++index;
  }
  json.end_array().end_object();
  print_json_line(text);
}

struct ShowArguments {
  std::string file;
  bool json = false;
};

std::expected<void, Fault> show_keys(const ShowArguments& arguments) {
  const std::string& file = arguments.file;
  const auto text = read_small_file(file, "FILE");
  if (!text) return failure(text.error());
  const auto loaded = load_key_set(*text);
  if (!loaded) return failure("the key set " + file + " cannot be used: " + loaded.error());
  const auto document = parse_json(*text);
  if (document) (arguments.json ? print_keys_as_json : print_keys)(*document, *loaded);
  if (loaded->keys.empty()) return failure("no key of " + file + " is usable: the service would not be ready");
  return {};
}

}  // namespace

Command keys_command() {
  auto make = std::make_shared<MakeArguments>();
  Command make_command{
      .name = "make",
      .help = "Make a private key set, for development",
      .options = {{.name = "--output",
                   .help = "The file to make; it must not exist",
                   .field = &make->output,
                   .is_required = true},
                  {.name = "--alg",
                   .help = "What the key is to sign with",
                   .field = &make->algorithm,
                   .choices = algorithm_names()},
                  {.name = "--kid", .help = "The key's name (default: one made at random)", .field = &make->kid}},
      .examples = {"portail keys make --output keys.json --alg ES256"},
      .run = [make](const SettingValues&) { return make_keys(*make); }};

  auto publish = std::make_shared<PublicArguments>();
  Command public_command{
      .name = "public",
      .help = "Write what --jwks needs of a private key set",
      .options = {{.name = "--input", .help = "The private key set", .field = &publish->input, .is_required = true},
                  {.name = "--output",
                   .help = "The file to make; it must not exist",
                   .field = &publish->output,
                   .is_required = true}},
      .examples = {"portail keys public --input keys.json --output jwks.json"},
      .run = [publish](const SettingValues&) { return write_public_keys(*publish); }};

  auto shown = std::make_shared<ShowArguments>();
  Command show_command{
      .name = "show",
      .help = "List the keys of a set, and which are refused and why",
      .options = {{.name = "FILE", .help = "The key set", .field = &shown->file, .is_required = true},
                  {.name = "--json", .help = "One JSON object instead of lines", .field = &shown->json}},
      .examples = {"portail keys show jwks.json", "portail keys show jwks.json --json | jq .usable"},
      .run = [shown](const SettingValues&) { return show_keys(*shown); }};

  return {.name = "keys",
          .help = "Make and show key sets",
          .commands = {std::move(make_command), std::move(public_command), std::move(show_command)}};
}

}  // namespace portail
