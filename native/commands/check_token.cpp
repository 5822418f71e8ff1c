#include "native/commands/check_token.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "core/auth/algorithms.hpp"
#include "core/auth/base64url.hpp"
#include "core/auth/claims.hpp"
#include "core/auth/grants.hpp"
#include "core/auth/token.hpp"
#include "core/base/text.hpp"
#include "core/json/raw_json.hpp"
#include "core/json/reader.hpp"
#include "core/portal/portal_reader.hpp"
#include "core/portal/records/stored_string.hpp"
#include "core/portal/visible_bundles.hpp"
#include "native/commands/command.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

constexpr std::size_t max_input_size = 64 * 1024;

// A decoded part of the token, for display only; no decision depends on it.
struct Part {
  std::string text;
  std::optional<JsonDocument> document;

  [[nodiscard]] std::optional<JsonObject> members() const {
    return document ? object_of(document->root()) : std::nullopt;
  }
  // The JSON text of a member, or "(none)".
  [[nodiscard]] std::string value(std::string_view name) const {
    return std::string(raw_member(text, name).value_or("(none)"));
  }
};

Part read_part(std::string_view encoded) {
  Part part;
  part.text = base64url_decode(encoded).value_or("");
  if (auto document = parse_json(part.text)) part.document = std::move(*document);
  return part;
}

std::string local_time(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm parts{};
  std::array<char, 64> text{};
  if (!localtime_r(&whole, &parts) || std::strftime(text.data(), text.size(), "%F %T %z", &parts) == 0) return "?";
  return text.data();
}

std::string whole_seconds(double seconds) { return std::to_string(static_cast<std::int64_t>(std::floor(seconds))); }

std::string describe_times(JsonObject claims, const Part& part, Instant now) {
  std::string text = "exp " + part.value("exp") + ", nbf " + part.value("nbf");
  const auto times = read_times(claims);
  if (!times) return text;
  const double now_seconds = static_cast<double>(now.microseconds) / 1e6;
  const double remaining = times->expires - now_seconds;
  text += ": " + local_time(times->expires) + ", ";
  text += remaining > 0 ? whole_seconds(remaining) + " s left" : whole_seconds(-remaining) + " s ago";
  if (times->starts > now_seconds) text += "; begins in " + whole_seconds(times->starts - now_seconds) + " s";
  return text;
}

std::string expected_value(std::string_view claim, const TokenSettings& settings) {
  if (claim == "iss") return "; expected: \"" + settings.issuer + '"';
  if (claim == "exp") return "; leeway " + std::to_string(settings.leeway_seconds) + " s";
  if (claim == "tenantid") return settings.tenant.empty() ? "; any" : "; expected: \"" + settings.tenant + '"';
  if (claim != "aud") return {};
  std::string text = "; expected:";
  for (const std::string& audience : settings.audiences) text += " \"" + audience + '"';
  return text;
}

void explain_header(const Part& header, const KeySet& keys) {
  const auto members = header.members();
  if (!members) return print_row("header", "not one JSON object");
  print_row("header", "alg " + header.value("alg") + ", kid " + header.value("kid") + ", typ " + header.value("typ"));
  std::string others;
  for (const auto& member : *members) {
    if (member.name == "alg" || member.name == "kid" || member.name == "typ") continue;
    others.append(others.empty() ? "" : ", ").append(member.name);
  }
  if (!others.empty()) print_row("other header members", others);

  const auto text_of = [&members](std::string_view name) { return string_member(*members, name); };
  const Algorithm* algorithm = algorithm_named(text_of("alg").value_or(""));
  const VerificationKey* key = nullptr;
  if (const auto kid = text_of("kid")) {
    key = keys.find(*kid);
  } else if (algorithm && !member(*members, "kid")) {
    key = keys.find_only(*algorithm);
  }
  if (key)
    return print_row("key", "found: kid \"" + key->kid + "\", which verifies " + std::string(key->algorithm->name));
  print_row("key", "not found among the " + std::to_string(keys.size()) + " usable keys of the set");
}

void explain_claims(const Part& claims, const TokenSettings& settings, Instant now) {
  const auto members = claims.members();
  if (!members) return print_row("claims", "not one JSON object");
  for (const ClaimCheck& check : check_each_claim(*members, settings, now)) {
    std::string text;
    if (check.claims.front() == "exp") {
      text = describe_times(*members, claims, now);
    } else {
      for (const std::string_view name : check.claims) {
        if (check.claims.size() > 1 && (!member(*members, name) || text.starts_with(std::string(name) + ' '))) continue;
        text.append(text.empty() ? "" : ", ").append(name).append(" ").append(claims.value(name));
      }
      // All claims of this check are absent, and it passed.
      if (text.empty()) {
        for (const std::string_view name : check.claims) text.append(text.empty() ? "" : ", ").append(name);
        text += " (none)";
      }
    }
    text += expected_value(check.claims.front(), settings);
    print_row(check.refusal ? "  bad" : "  good", text);
    if (check.refusal) print_row("", std::string("  ").append(*check.refusal));
  }
}

// The caller's permissions and bundles in the store.
struct CallerAccess {
  struct GrantedPermission {
    Permission permission;
    std::string by;
  };
  std::vector<GrantedPermission> granted;
  std::vector<std::string> own_bundles;
  std::size_t managed_bundles = 0;
};

Task<std::vector<VisibleBundle>> find_visible_bundles(Context& context, Session& session, const Caller& caller,
                                                      Relation relation) {
  ReadResult found;
  co_await read(context, session, {.index = relation, .person = caller.subject}, found);
  if (caller.subject.empty()) co_return std::vector<VisibleBundle>{};
  const std::string person = stored_string(caller.subject);
  co_return co_await read_visible_bundles(context, session, found.index, relation, person);
}

Task<CallerAccess> read_caller_access(Context& context, KeyValueStore& store, const Caller& caller) {
  CallerAccess access;
  const auto session = co_await store.open(context);
  ReadResult found;
  co_await read(context, *session, {.grants = true}, found);
  found.grants.for_each([&](Permission permission, GrantKind kind, std::string_view quoted) {
    std::string line;
    append_grant(line, permission, kind, unquoted(quoted));
    const auto alone = Grants::parse(line);
    if (!alone || !alone->contains(permission, caller)) return;
    access.granted.push_back({permission, std::string(name_of(kind)).append(" ").append(quoted)});
  });
  for (const VisibleBundle& each : co_await find_visible_bundles(context, *session, caller, Relation::user)) {
    access.own_bundles.push_back(unquoted(each.bundle.id));
  }
  access.managed_bundles = (co_await find_visible_bundles(context, *session, caller, Relation::manager)).size();
  co_return access;
}

void explain_caller(const Caller& caller, const CallerAccess& access) {
  print_row("caller", caller.subject.empty() ? "no subject: has no bundles" : "\"" + caller.subject + '"');
  if (!caller.client.empty()) {
    print_row("client", '"' + caller.client +
                            (caller.is_client_token ? "\", itself: grants to it count"
                                                    : "\", for the caller: grants to it do not count"));
  }
  std::string roles;
  for (const std::string& role : caller.roles) roles += (roles.empty() ? "\"" : ", \"") + role + '"';
  print_row("roles", roles.empty() ? "none" : roles);
  bool has_permission = false;
  const auto print_held = [&has_permission](Permission permission, const std::string& why) {
    print_row("permission", std::string(name_of(permission)) + ", " + why);
    has_permission = true;
  };
  for (const Permission permission : all_permissions) {
    if (caller.permissions.contains(permission)) print_held(permission, "by the claim permissions");
    for (const CallerAccess::GrantedPermission& grant : access.granted) {
      if (grant.permission == permission) print_held(permission, "granted to " + grant.by);
    }
  }
  if (!has_permission) print_row("permission", "none");
  print_row("own bundles", std::to_string(access.own_bundles.size()));
  for (const std::string& id : access.own_bundles) print_row("", id);
  print_row("managed bundles", std::to_string(access.managed_bundles));
}

// The token without pasted surroundings: a header's name, quotes, commas and line breaks.
std::string extract_token(std::string_view text) {
  constexpr std::string_view delimiters = " \t\r\n\"'`,";
  text = trimmed(text, delimiters);
  for (const std::string_view before : {"Authorization:", "Bearer"}) {
    if (equals_ignoring_case(text.substr(0, before.size()), before))
      text = trimmed(text.substr(before.size()), delimiters);
  }
  std::string token(text);
  std::erase_if(token, [](char each) { return each == ' ' || each == '\t' || each == '\r' || each == '\n'; });
  return token;
}

std::expected<std::string, Fault> read_token(const std::string& argument) {
  if (argument != "-") return extract_token(argument);
  std::string text(max_input_size + 1, '\0');
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::cin.gcount()));
  if (text.size() > max_input_size) return failure("standard input is too long for a token");
  return extract_token(text);
}

}  // namespace

std::expected<void, Fault> check_token(const std::string& token, const KeySet& keys, const TokenSettings& settings,
                                       KeyValueStore& store) {
  const auto text = read_token(token);
  if (!text) return std::unexpected(text.error());
  const auto refused = [](std::string_view why) {
    print_row("verdict", "401");
    return failure("the token is refused: " + std::string(why));
  };
  if (keys.empty()) {
    if (const auto fault = form_fault(*text)) return refused(*fault);
    return failure("503: no key of the key set is usable, so no token can be verified");
  }
  CommandContext command;
  const Instant now = command.clock.now();

  const std::string_view jws = *text;
  const std::size_t first = jws.find('.');
  const std::size_t second = first == std::string_view::npos ? first : jws.find('.', first + 1);
  const auto verified = verify_token(jws, keys);
  if (second != std::string_view::npos && jws.size() <= max_token_size) {
    explain_header(read_part(jws.substr(0, first)), keys);
    print_row("signature", verified ? "good" : "not accepted: the claims below are not verified");
    explain_claims(read_part(jws.substr(first + 1, second - first - 1)), settings, now);
  }
  if (!verified) return refused(verified.error());
  const auto caller = read_claims(*object_of(verified->root()), settings, now);
  if (!caller) return refused(caller.error());
  print_row("verdict", "200");
  const auto access = run_ready(read_caller_access(command.context, store, *caller));
  if (!access) return failure("the store cannot be read: " + command.last_warning.text_or("it does not answer"));
  explain_caller(*caller, *access);
  return {};
}

}  // namespace portail
