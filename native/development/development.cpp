// Creates what a first portal needs without an identity provider. Each step repeats what is missing, so that a run that
// was interrupted can be repeated. portail.toml is first: it marks the folder as one of this command.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "core/auth/development_issuer.hpp"
#include "core/auth/key_generator.hpp"
#include "core/auth/key_set.hpp"
#include "core/auth/token_signer.hpp"
#include "core/base/task.hpp"
#include "core/base/text.hpp"
#include "core/json/raw_json.hpp"
#include "core/json/reader.hpp"
#include "core/json/utf8.hpp"
#include "core/json/writer.hpp"
#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"
#include "development_files.hpp"
#include "native/commands/command.hpp"
#include "native/commands/keys.hpp"
#include "native/commands/token.hpp"
#include "native/http/certificate.hpp"
#include "native/http/tls.hpp"
#include "native/import/import_run.hpp"
#include "native/system/atomic_file.hpp"
#include "native/system/small_file.hpp"
#include "native/system/temporary_file.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "# Made by `portail development`, which keeps changes of this file.";
constexpr std::string_view development_address = "127.0.0.1:8443";
constexpr std::int64_t renewal_period = 86'400;       // seconds before a certificate expires
constexpr std::size_t max_development_document = 64;  // MiB

struct DevelopmentArguments {
  std::string folder;
  std::string document;  // empty: the embedded one

  [[nodiscard]] std::string path(std::string_view name) const { return fs::path(folder) / name; }
};

std::expected<void, Fault> write_private(const std::string& file, std::string_view text) {
  const auto written = AtomicFile::replace(file, text);
  if (!written) return failure("cannot write " + file + ": " + std::strerror(written.error()));
  return {};
}

bool is_made_by_this_command(const DevelopmentArguments& arguments) {
  std::ifstream file(arguments.path("portail.toml"));
  std::string line;
  return std::getline(file, line) && line == first_line;
}

// Files of an interrupted run do not count.
std::expected<void, Fault> prepare_folder(const DevelopmentArguments& arguments) {
  const std::string& folder = arguments.folder;
  if (!is_valid_utf8(fs::absolute(folder).string())) return wrong_usage("FOLDER: its path must be UTF-8");
  if (const auto created = create_private_directories(folder); !created)
    return failure("cannot create the folder " + folder + ": " + std::strerror(created.error()));
  // Who can write to the folder can replace a key that root would serve with.
  struct stat status = {};
  if (stat(folder.c_str(), &status) != 0)
    return failure("cannot use the folder " + folder + ": " + std::strerror(errno));
  if (S_ISDIR(status.st_mode) && (status.st_uid != geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0))
    return failure("other users can write to the folder " + folder + ": name a new folder");
  std::error_code error;
  for (fs::directory_iterator each(folder, error); !error && each != fs::directory_iterator(); each.increment(error)) {
    const std::string name = each->path().filename();
    if (name.starts_with(".portail-") && name.ends_with(".unfinished")) continue;
    if (is_made_by_this_command(arguments)) break;
    return failure(folder + " has other files, such as " + name +
                   ", which are kept: name a new or empty folder, or one of `portail development`");
  }
  if (error) return failure("cannot use the folder " + folder + ": " + error.message());
  return {};
}

std::string configuration_text(const DevelopmentArguments& arguments, std::string_view public_keys) {
  const auto location = [&arguments](std::string_view name) {
    return fs::absolute(arguments.path(name)).lexically_normal().string();
  };
  std::string text = std::string(first_line) + "\n# Its key set has the public keys of keys.json.\n";
  const auto add = [&text](std::string_view name, std::string_view value) {
    text.append(name).append(" = ").append(json_string(value)).append("\n");  // a JSON string is one of TOML
  };
  add("listen", development_address);
  add("store", "dir:" + location("data"));
  add("tls-cert", location("certificate.pem"));
  add("tls-key", location("key.pem"));
  add("issuer", development_issuer);
  add("audience", development_audience);
  add("page-personas", location("personas.json"));
  return text.append("jwks = '").append(public_keys).append("'\n");
}

// Returns the private key set.
std::expected<std::string, Fault> make_development_keys(const DevelopmentArguments& arguments) {
  const std::string file = arguments.path("keys.json");
  if (is_made_by_this_command(arguments) && fs::exists(file)) {
    auto text = read_small_file(file, "FOLDER");
    if (!text) return failure(text.error());
    return std::move(*text);
  }
  SystemRandom random;
  const std::string set =
      "{\"keys\":[" + generate_private_jwk(*signing_algorithm_named("EdDSA"), "development", random) + "]}\n";
  const auto public_keys = verification_key_set(set);
  if (!public_keys) return failure(public_keys.error());
  auto written = write_private(arguments.path("portail.toml"), configuration_text(arguments, *public_keys));
  if (written) written = write_private(file, set);
  if (!written) return std::unexpected(written.error());
  return set;
}

// Keeps a certificate that is valid for another day.
std::expected<void, Fault> make_development_certificate(const DevelopmentArguments& arguments) {
  const std::string certificate = arguments.path("certificate.pem");
  const std::string key = arguments.path("key.pem");
  const auto loaded = TlsContext::load({certificate, "FOLDER"}, {key, "FOLDER"});
  const std::int64_t needed_until = SystemClock().now().seconds() + renewal_period;
  if (loaded && loaded->chain().front().validity.end.seconds() > needed_until) return {};
  const auto made = make_self_signed_certificate();
  if (!made) return failure("cannot create a certificate: " + made.error());
  if (auto written = write_private(key, made->key); !written) return written;
  return write_private(certificate, made->certificate);
}

std::expected<std::string, Fault> read_document(const std::string& file) {
  auto text = read_small_file(file, "DOCUMENT", max_development_document);
  if (!text) return failure(text.error());
  return std::move(*text);
}

// portail.json is written after its import: an interrupted one is repeated.
std::expected<void, Fault> import_development_document(const DevelopmentArguments& arguments, OpenStore& portal) {
  const std::string copy = arguments.path("portail.json");
  const std::string& source = arguments.document.empty() ? copy : arguments.document;
  const bool has_copy = fs::exists(copy);
  const auto before = has_copy ? read_document(copy) : std::string(development_document);
  const auto text = arguments.document.empty() ? before : read_document(source);
  if (!before) return std::unexpected(before.error());
  if (!text) return std::unexpected(text.error());
  const bool is_imported = has_copy && !portal.empty && *text == *before;
  std::error_code ignored;
  if (is_imported && !fs::equivalent(arguments.document, copy, ignored)) return {};
  auto file = create_temporary_file(temporary_folder(arguments.folder));
  if (!file) return failure(file.error());
  if (const auto written = write_all(file->number(), *text); !written)
    return failure("cannot copy the document " + source + ": " + std::strerror(written.error()));
  auto input = ImportFiles::open(std::move(*file), source, {});
  if (!input) return std::unexpected(input.error());
  const auto report = import_files(portal, *input, source, {});
  if (!report) return std::unexpected(report.error());
  return write_private(copy, *text);
}

std::expected<void, Fault> fill_store(const DevelopmentArguments& arguments, std::string_view keys) {
  const auto public_keys = verification_key_set(keys);
  if (!public_keys) return failure(arguments.path("keys.json") + ": " + public_keys.error());
  auto portal = open_portal("dir:" + arguments.path("data"), "FOLDER", StoreAccess::fill);
  if (!portal) return std::unexpected(portal.error());
  if (auto imported = import_development_document(arguments, *portal); !imported) return imported;
  CommandContext command;
  const auto stored = run_ready(read_value(command.context, *portal->store, stored_key_set_key));
  if (stored && *stored == *public_keys) return {};
  const auto loaded = load_key_set(*public_keys);
  if (!loaded) return failure(loaded.error());
  return store_key_set(*portal, *loaded, *public_keys);
}

std::vector<std::string> texts_of_member(JsonObject object, std::string_view name) {
  std::vector<std::string> texts;
  const auto found = member(object, name);
  const auto list = found ? array_of(*found) : std::nullopt;
  if (!list) return texts;
  for (const JsonValue each : *list) texts.emplace_back(string_of(each).value_or(""));
  return texts;
}

// Writes a token for each persona, and for the page their file with the tokens.
std::expected<void, Fault> write_tokens(const DevelopmentArguments& arguments, std::string_view keys) {
  const auto key = load_signing_key(keys);
  if (!key) return failure("cannot create a token with " + arguments.path("keys.json") + ": " + key.error());
  std::string personas;
  for (const std::string_view text : raw_items(development_personas)) {
    const auto document = parse_json(text);
    const auto persona = document ? object_of(document->root()) : std::nullopt;
    if (!persona) continue;
    TokenArguments holder;
    holder.issuer = development_issuer;
    holder.audiences = {std::string(development_audience)};
    holder.subject = string_member(*persona, "sub").value_or("");
    holder.roles = texts_of_member(*persona, "roles");
    holder.permissions = texts_of_member(*persona, "permissions");
    holder.lifetime = std::chrono::seconds(development_lifetime);
    const auto claims = make_claims(holder);
    if (!claims) return std::unexpected(claims.error());
    const std::string token = sign_token(*key, *claims);
    const std::string name(string_member(*persona, "name").value_or(""));
    if (auto written = write_private(arguments.path(name + ".token"), token + '\n'); !written) return written;
    personas += personas.empty() ? "[" : ",\n";
    personas.append(text.substr(0, text.size() - 1)).append(",\"token\":\"").append(token).append("\"}");
  }
  return write_private(arguments.path("personas.json"), personas + "]\n");
}

// A word of a command line in a shell.
std::string quoted_for_shell(const std::string& word) {
  const auto is_plain = [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) || std::string_view("/._-+:").contains(c);
  };
  if (std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + '\'';
}

std::expected<void, Fault> run_development(const DevelopmentArguments& arguments) {
  if (auto prepared = prepare_folder(arguments); !prepared) return prepared;
  const auto keys = make_development_keys(arguments);
  if (!keys) return std::unexpected(keys.error());
  if (auto made = make_development_certificate(arguments); !made) return made;
  if (auto filled = fill_store(arguments, *keys); !filled) return filled;
  if (auto written = write_tokens(arguments, *keys); !written) return written;
  const auto shown = [&arguments](std::string_view name) { return quoted_for_shell(arguments.path(name)); };
  const std::string bundle = arguments.document.empty() ? "/L-2024-0002" : "";
  print_line(stdout, "portail serve --config " + shown("portail.toml"));
  print_line(stdout, "curl --cacert " + shown("certificate.pem") + " -H \"Authorization: Bearer $(cat " +
                         shown("client.token") + ")\" https://" + std::string(development_address) + "/api/app/liasse" +
                         bundle);
  return {};
}

}  // namespace

Command development_command() {
  auto arguments = std::make_shared<DevelopmentArguments>();
  return {.name = "development",
          .help = "Create a portal to try: certificate, keys, tokens for 12 hours, and a store with sample data",
          .options = {{.name = "FOLDER",
                       .help = "Folder to create; a further run renews the tokens",
                       .field = &arguments->folder,
                       .is_required = true},
                      {.name = "DOCUMENT",
                       .help = "Document to import, again if it has changed; default: a small portal",
                       .field = &arguments->document}},
          .examples = {"portail development trial && portail serve --config trial/portail.toml"},
          .run = [arguments](const SettingValues&) { return run_development(*arguments); }};
}

}  // namespace portail
