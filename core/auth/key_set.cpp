#include "core/auth/key_set.hpp"

#include <algorithm>
#include <optional>

#include "core/auth/jwk.hpp"
#include "core/base/printable.hpp"
#include "core/json/reader.hpp"

namespace portail {
namespace {

std::optional<std::string_view> kid_of(JsonValue jwk) {
  const auto members = object_of(jwk);
  return members ? portail::kid_of(*members) : std::nullopt;
}

// Returns the kids of the set, sorted, also those of refused keys: if two keys share a kid, both are refused.
std::vector<std::string_view> sorted_kids(JsonArray jwks) {
  std::vector<std::string_view> kids;
  for (const JsonValue jwk : jwks) {
    if (const auto kid = kid_of(jwk)) kids.push_back(*kid);
  }
  std::ranges::sort(kids);
  return kids;
}

std::expected<VerificationKey, std::string_view> read_one(JsonValue jwk, const std::vector<std::string_view>& kids) {
  const auto members = object_of(jwk);
  if (!members) return std::unexpected("it is not a JSON object");
  if (const auto kid = kid_of(jwk); kid && std::ranges::equal_range(kids, *kid).size() > 1) {
    return std::unexpected("another key of the set has the same kid");
  }
  return read_jwk(*members);
}

}  // namespace

const VerificationKey* KeySet::find(std::string_view kid) const {
  if (kid.empty()) return nullptr;
  const auto found = std::ranges::find(keys_, kid, &VerificationKey::kid);
  return found == keys_.end() ? nullptr : &*found;
}

const VerificationKey* KeySet::find_only(const Algorithm& algorithm) const {
  const auto fits = [&algorithm](const VerificationKey& key) { return key.algorithm == &algorithm; };
  const auto first = std::ranges::find_if(keys_, fits);
  if (first == keys_.end() || std::find_if(first + 1, keys_.end(), fits) != keys_.end()) return nullptr;
  return &*first;
}

std::string describe(const KeyDiagnostic& diagnostic) {
  std::string line = "keys[" + std::to_string(diagnostic.index) + "]";
  if (!diagnostic.kid.empty()) {
    line += " \"" + printable(diagnostic.kid) + '"';
  }
  line += ": ";
  line += diagnostic.text;
  return line;
}

std::expected<LoadedKeySet, std::string> load_key_set(std::string_view json) {
  const auto refuse = [](std::string_view reason) { return std::unexpected("not a JWK set: " + std::string(reason)); };
  const auto document = parse_json(json, {.unique_names = true, .max_size = max_key_set_size});
  if (!document) return refuse(description(document.error()));
  const auto set = object_of(document->root());
  const auto keys = set ? member(*set, "keys") : std::nullopt;
  const auto jwks = keys ? array_of(*keys) : std::nullopt;
  if (!jwks) return refuse("it has no \"keys\" array");

  const std::vector<std::string_view> kids = sorted_kids(*jwks);
  LoadedKeySet loaded;
  std::vector<VerificationKey> usable;
  std::size_t index = 0;
  for (const JsonValue jwk : *jwks) {
    const std::string kid(kid_of(jwk).value_or(""));
    auto key = read_one(jwk, kids);
    if (key) {
      usable.push_back(std::move(*key));
    } else {
      loaded.refusals.push_back({index, kid, key.error()});
    }
    if (const auto members = object_of(jwk); members && has_private_members(*members)) {
      loaded.notices.push_back({index, kid, "it holds private members, which are ignored: publish public keys only"});
    }
    ++index;
  }
  loaded.keys = KeySet(std::move(usable));
  return loaded;
}

}  // namespace portail
