#include "native/check/check_token.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/auth/algorithms.hpp"
#include "core/auth/base64url.hpp"
#include "core/auth/claims.hpp"
#include "core/auth/grants.hpp"
#include "core/auth/token.hpp"
#include "core/base/text.hpp"
#include "core/http/reason.hpp"
#include "core/json/raw_json.hpp"
#include "core/json/reader.hpp"
#include "core/json/writer.hpp"
#include "core/portal/entity_reader.hpp"
#include "core/portal/portal_reader.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/portal/records/lines.hpp"
#include "core/portal/records/person_index.hpp"
#include "core/storage/key.hpp"
#include "native/commands/command.hpp"
#include "native/system/log.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

constexpr std::size_t max_input_size = 64 * 1024;

constexpr std::string_view no_value = "(none)";

// A decoded part of the token, for display only; no decision depends on it.
struct Part {
  std::string text;
  std::optional<JsonDocument> document;

  [[nodiscard]] std::optional<JsonObject> members() const {
    return document ? object_of(document->root()) : std::nullopt;
  }
  // The JSON text of a member, or "(none)".
  [[nodiscard]] std::string value(std::string_view name) const {
    return std::string(raw_member(text, name).value_or(no_value));
  }
};

Part read_part(std::string_view encoded) {
  Part part;
  part.text = base64url_decode(encoded).value_or("");
  if (auto document = parse_json(part.text)) part.document = std::move(*document);
  return part;
}

struct Parts {
  Part header;
  Part claims;
};

// nullopt if the token is too long or has less than three parts.
std::optional<Parts> read_parts(std::string_view token) {
  const std::size_t first = token.find('.');
  const std::size_t second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos || token.size() > max_token_size) return std::nullopt;
  return Parts{.header = read_part(token.substr(0, first)),
               .claims = read_part(token.substr(first + 1, second - first - 1))};
}

std::string local_time(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm parts{};
  std::array<char, 64> text{};
  if (!localtime_r(&whole, &parts) || std::strftime(text.data(), text.size(), "%F %T %z", &parts) == 0) return "?";
  return text.data();
}

std::string whole_seconds(double seconds) { return std::to_string(static_cast<std::int64_t>(std::floor(seconds))); }

// "expires in 5 s", or how long ago, and when the validity begins.
std::string describe_times(const TokenTimes& times, Instant now) {
  const double now_seconds = static_cast<double>(now.microseconds) / 1e6;
  const double remaining = times.expires - now_seconds;
  std::string text = remaining > 0 ? "expires in " + whole_seconds(remaining) + " s"
                                   : "expired " + whole_seconds(-remaining) + " s ago";
  if (times.starts > now_seconds) text += ", begins in " + whole_seconds(times.starts - now_seconds) + " s";
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

std::string describe_key(JsonObject header, const KeySet& keys) {
  const auto text_of = [&header](std::string_view name) { return string_member(header, name); };
  const Algorithm* algorithm = algorithm_named(text_of("alg").value_or(""));
  const VerificationKey* key = nullptr;
  if (const auto kid = text_of("kid")) {
    key = keys.find(*kid, algorithm);
    if (!key) key = keys.find(*kid);
  } else if (algorithm && !member(header, "kid")) {
    key = keys.find_only(*algorithm);
  }
  if (key) return "found: kid \"" + key->kid + "\", which verifies " + std::string(key->algorithm->name);
  return "not found among the " + counted(keys.size(), "usable key", "usable keys") + " of the set";
}

void explain_header(const Part& header, const KeySet& keys, TokenExplanation& token) {
  const auto members = header.members();
  if (!members) return;
  token.header = {.alg = header.value("alg"), .kid = header.value("kid"), .typ = header.value("typ"), .others = {}};
  for (const auto& member : *members) {
    if (member.name == "alg" || member.name == "kid" || member.name == "typ") continue;
    token.header->others.emplace_back(member.name);
  }
  token.key = describe_key(*members, keys);
}

void explain_claims(const Part& claims, const TokenSettings& settings, Instant now, TokenExplanation& token) {
  const auto members = claims.members();
  if (!members) return;
  token.claims.emplace();
  for (const ClaimCheck& check : check_each_claim(*members, settings, now)) {
    std::string text;
    if (check.claims.front() == "exp") {
      text = "exp " + claims.value("exp") + ", nbf " + claims.value("nbf");
      if (const auto times = read_times(*members)) {
        text += ": " + local_time(times->expires) + ", " + describe_times(*times, now);
      }
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
    const std::string_view refusal = check.refusal ? text_of(*check.refusal) : std::string_view();
    token.claims->push_back({.text = std::move(text), .refusal = std::string(refusal)});
  }
}

Task<std::vector<Entity<Bundle>>> find_visible_bundles(Context& context, Session& session, const Caller& caller,
                                                       Relation relation) {
  ReadResult found;
  co_await read(context, session, {.index = bundle_indexes[std::to_underlying(relation)], .person = caller.subject},
                found);
  if (caller.subject.empty()) co_return std::vector<Entity<Bundle>>{};
  auto bundles = co_await read_entities<read_bundle, bundle_key>(context, session, found.index);
  keep_visible(bundles, relation, stored_string(caller.subject));
  co_return bundles;
}

Task<TokenExplanation::Access> read_access(Context& context, KeyValueStore& store, const Caller& caller) {
  TokenExplanation::Access access{.caller = caller, .permissions = {}, .own_bundles = {}};
  for (const Permission permission : all_permissions) {
    if (caller.permissions.contains(permission))
      access.permissions.emplace_back(permission, "by the claim permissions");
  }
  const auto session = co_await store.open(context);
  ReadResult found;
  co_await read(context, *session, {.grants = true}, found);
  found.grants.for_each([&](Permission permission, GrantKind kind, std::string_view quoted) {
    std::string line;
    append_grant(line, permission, kind, unquoted(quoted));
    const auto alone = Grants::parse(line);
    if (!alone || !alone->contains(permission, caller)) return;
    access.permissions.emplace_back(permission,
                                    std::string("granted to ").append(name_of(kind)).append(" ").append(quoted));
  });
  std::ranges::stable_sort(access.permissions, {}, [](const auto& held) { return held.first; });
  for (const Entity<Bundle>& each : co_await find_visible_bundles(context, *session, caller, Relation::user)) {
    access.own_bundles.push_back(unquoted(each.record.id));
  }
  access.managed_bundles = (co_await find_visible_bundles(context, *session, caller, Relation::manager)).size();
  co_return access;
}

void print_access(const TokenExplanation::Access& access) {
  const Caller& caller = access.caller;
  print_row("caller", caller.subject.empty() ? "no subject: has no bundles" : "\"" + caller.subject + '"');
  if (!caller.client.empty()) {
    print_row("client", '"' + caller.client +
                            (caller.is_client_token ? "\", itself: grants to it count"
                                                    : "\", for the caller: grants to it do not count"));
  }
  std::string roles;
  for (const std::string& role : caller.roles) roles += (roles.empty() ? "\"" : ", \"") + role + '"';
  print_row("roles", roles.empty() ? "none" : roles);
  for (const auto& [permission, reason] : access.permissions) {
    print_row("permission", std::string(name_of(permission)) + ", " + reason);
  }
  if (access.permissions.empty()) print_row("permission", "none");
  print_row("own bundles", std::to_string(access.own_bundles.size()));
  for (const std::string& id : access.own_bundles) print_row("", id);
  print_row("managed bundles", std::to_string(access.managed_bundles));
}

void append_access(JsonWriter& json, const TokenExplanation::Access& access) {
  json.begin_object().name("subject").raw(log_string(access.caller.subject));
  json.name("client").raw(access.caller.client.empty() ? "null" : log_string(access.caller.client));
  json.name("isClientToken").boolean(access.caller.is_client_token).name("roles").begin_array();
  for (const std::string& role : access.caller.roles) json.raw(log_string(role));
  json.end_array().name("permissions").begin_array();
  for (const auto& [permission, reason] : access.permissions) {
    json.begin_object().name("name").string(name_of(permission)).name("reason").raw(log_string(reason)).end_object();
  }
  json.end_array().name("ownBundles").begin_array();
  for (const std::string& id : access.own_bundles) json.raw(log_string(id));
  json.end_array().name("managedBundles").integer(static_cast<std::int64_t>(access.managed_bundles)).end_object();
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

}  // namespace

std::expected<std::string, Fault> read_token(const std::string& argument) {
  if (argument != "-") return extract_token(argument);
  std::string text(max_input_size + 1, '\0');
  std::cin.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::cin.gcount()));
  if (text.size() > max_input_size) return failure("standard input is too long for a token");
  return extract_token(text);
}

std::string summarize_token(std::string_view token, Instant now) {
  const auto parts = read_parts(token);
  if (!parts) return "not a compact JWS";
  std::string text;
  const auto append = [&text](const Part& part, std::string_view name) {
    const auto value = part.document ? raw_member(part.text, name) : std::nullopt;
    if (value) text.append(text.empty() ? "" : ", ").append(name).append(" ").append(*value);
  };
  append(parts->header, "alg");
  append(parts->header, "kid");
  append(parts->claims, "iss");
  append(parts->claims, "aud");
  if (const auto members = parts->claims.members()) {
    if (const auto times = read_times(*members)) text += ", " + describe_times(*times, now);
  }
  return text;
}

std::optional<std::string> TokenExplanation::fault() const {
  if (verdict == 200) return std::nullopt;
  return verdict == 401 ? "the token is refused: " + reason : "503: " + reason;
}

std::expected<TokenExplanation, Fault> explain_token(std::string_view token, const KeySet& keys,
                                                     const TokenSettings& settings, KeyValueStore& store) {
  TokenExplanation explanation;
  const auto refused = [&explanation](Reason why) {
    explanation.verdict = 401;
    explanation.reason = text_of(why);
    return explanation;
  };
  if (keys.empty()) {
    if (const auto fault = form_fault(token)) return refused(*fault);
    explanation.verdict = 503;
    explanation.reason = "no key of the key set is usable, so no token can be verified";
    return explanation;
  }
  CommandContext command;
  const Instant now = command.clock.now();
  const auto verified = verify_token(token, keys);
  explanation.is_verified = verified.has_value();
  const auto parts = read_parts(token);
  explanation.has_three_parts = parts.has_value();
  if (parts) {
    explain_header(parts->header, keys, explanation);
    explain_claims(parts->claims, settings, now, explanation);
  }
  if (!verified) return refused(verified.error());
  const auto caller = read_claims(*object_of(verified->root()), settings, now);
  if (!caller) return refused(caller.error());
  explanation.verdict = 200;
  auto access = run_ready(read_access(command.context, store, *caller));
  if (!access) return failure("the store cannot be read: " + command.last_warning.text_or("it does not answer"));
  explanation.access = std::move(*access);
  return explanation;
}

void print_token(const TokenExplanation& token) {
  if (token.has_three_parts) {
    if (!token.header) {
      print_row("header", "not one JSON object");
    } else {
      print_row("header", "alg " + token.header->alg + ", kid " + token.header->kid + ", typ " + token.header->typ);
      std::string others;
      for (const std::string& name : token.header->others) others.append(others.empty() ? "" : ", ").append(name);
      if (!others.empty()) print_row("other header members", others);
      print_row("key", token.key);
    }
    print_row("signature", token.is_verified ? "good" : "not accepted: the claims below are not verified");
    if (!token.claims) print_row("claims", "not one JSON object");
  }
  for (const TokenExplanation::Claim& claim : token.claims.value_or(std::vector<TokenExplanation::Claim>())) {
    print_row(claim.refusal.empty() ? "  good" : "  bad", claim.text);
    if (!claim.refusal.empty()) print_row("", "  " + claim.refusal);
  }
  if (token.access) print_access(*token.access);
}

void append_token(JsonWriter& json, const TokenExplanation& token) {
  const auto text_or_null = [](const std::string& text) { return text.empty() ? "null" : log_string(text); };
  json.begin_object().name("verdict").integer(token.verdict).name("reason").raw(text_or_null(token.reason));
  if (token.header) {
    json.name("header").begin_object();
    for (const auto& [name, text] : {std::pair{"alg", token.header->alg}, std::pair{"kid", token.header->kid},
                                     std::pair{"typ", token.header->typ}}) {
      if (text != no_value) json.name(name).raw(text);
    }
    json.end_object().name("otherHeaderMembers").begin_array();
    for (const std::string& name : token.header->others) json.raw(log_string(name));
    json.end_array().name("key").raw(log_string(token.key));
  }
  json.name("signature").boolean(token.is_verified).name("claims").begin_array();
  for (const TokenExplanation::Claim& claim : token.claims.value_or(std::vector<TokenExplanation::Claim>())) {
    json.begin_object()
        .name("detail")
        .raw(log_string(claim.text))
        .name("refusal")
        .raw(text_or_null(claim.refusal))
        .end_object();
  }
  json.end_array();
  if (token.access) append_access(json.name("caller"), *token.access);
  json.end_object();
}

}  // namespace portail
