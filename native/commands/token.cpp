#include "native/commands/token.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "core/auth/token_signer.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"
#include "native/commands/command.hpp"
#include "native/system/small_file.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

void append_strings(JsonWriter& json, std::string_view name, const std::vector<std::string>& values) {
  if (values.empty()) return;
  json.name(name).begin_array();
  for (const std::string& value : values) json.string(value);
  json.end_array();
}

}  // namespace

std::expected<std::string, Fault> make_claims(const TokenArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> others;
  for (const std::string& claim : arguments.claims) {
    const std::size_t equals = claim.find('=');
    if (equals == 0 || equals == std::string::npos) return wrong_usage("--claim takes NAME=JSON, not " + claim);
    others.emplace_back(claim.substr(0, equals), claim.substr(equals + 1));
    if (!parse_json(others.back().second)) {
      return wrong_usage("--claim " + claim + ": what follows the = is not JSON; a string needs its quotes");
    }
  }
  // A given claim replaces the generated one of the same name.
  const auto is_overridden = [&others](std::string_view name) {
    return std::ranges::any_of(others, [name](const auto& other) { return other.first == name; });
  };
  const std::int64_t now = SystemClock().now().seconds();
  std::string claims;
  JsonWriter json(claims);
  json.begin_object();
  if (!is_overridden("iss")) json.name("iss").string(arguments.issuer);
  if (!is_overridden("aud") && arguments.audiences.size() == 1) json.name("aud").string(arguments.audiences.front());
  if (!is_overridden("aud") && arguments.audiences.size() > 1) append_strings(json, "aud", arguments.audiences);
  if (!is_overridden("sub") && !arguments.subject.empty()) json.name("sub").string(arguments.subject);
  if (!is_overridden("iat")) json.name("iat").integer(now);
  if (!is_overridden("exp")) json.name("exp").integer(now + arguments.lifetime.count());
  if (!is_overridden("client_id") && !arguments.client_id.empty()) json.name("client_id").string(arguments.client_id);
  if (!is_overridden("role")) append_strings(json, "role", arguments.roles);
  if (!is_overridden("permissions")) append_strings(json, "permissions", arguments.permissions);
  for (const auto& [name, value] : others) {
    const std::string quoted = json_string(name);
    json.name(std::string_view(quoted).substr(1, quoted.size() - 2)).raw(value);
  }
  json.end_object();
  return claims;
}

namespace {

std::expected<void, Fault> print_token(const TokenArguments& arguments) {
  const auto claims = make_claims(arguments);
  if (!claims) return std::unexpected(claims.error());
  const auto text = read_small_file(arguments.keys, "--keys");
  if (!text) return failure(text.error());
  const auto key = load_signing_key(*text, arguments.kid);
  if (!key) return failure("cannot create a token with " + arguments.keys + ": " + key.error());
  print_line(stdout, sign_token(*key, *claims));
  return {};
}

}  // namespace

Command token_command() {
  auto arguments = std::make_shared<TokenArguments>();
  return {
      .name = "token",
      .help = "Create a token for development",
      .options = {{.name = "--keys",
                   .help = "Private key set, created by `portail keys make`",
                   .field = &arguments->keys,
                   .is_required = true},
                  {.name = "--kid",
                   .help = "Key of the set; default: the first that can sign",
                   .field = &arguments->kid},
                  {.name = "--issuer",
                   .help = "iss",
                   .field = &arguments->issuer,
                   .variable = "PORTAIL_ISSUER",
                   .is_required = true},
                  {.name = "--audience",
                   .help = "aud; repeatable",
                   .field = &arguments->audiences,
                   .variable = "PORTAIL_AUDIENCE",
                   .is_required = true},
                  {.name = "--subject", .help = "sub; omitted for a client's own token", .field = &arguments->subject},
                  {.name = "--role", .help = "A role; repeatable", .field = &arguments->roles},
                  {.name = "--permission", .help = "A permission; repeatable", .field = &arguments->permissions},
                  {.name = "--client-id", .help = "client_id", .field = &arguments->client_id},
                  {.name = "--lifetime",
                   .help = "Seconds until it expires; negative: already expired",
                   .field = &arguments->lifetime,
                   .shown_default = "1h"},
                  {.name = "--claim", .help = "Any other claim, NAME=JSON; repeatable", .field = &arguments->claims}},
      .examples = {"portail token --keys keys.json --issuer https://login.example --audience portail --subject alice"},
      .run = [arguments](const SettingValues&) { return print_token(*arguments); }};
}

}  // namespace portail
