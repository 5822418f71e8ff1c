#include "core/auth/key_set.hpp"

#include <algorithm>
#include <optional>

#include "core/auth/jwk.hpp"
#include "core/base/text.hpp"
#include "core/json/reader.hpp"

namespace portail {
namespace {

std::optional<std::string_view> kid_of(JsonValue jwk) {
  const auto members = object_of(jwk);
  return members ? portail::kid_of(*members) : std::nullopt;
}

std::expected<VerificationKey, std::string> read_one(JsonValue jwk) {
  const auto members = object_of(jwk);
  if (!members) return std::unexpected("it is not a JSON object");
  return read_jwk(*members);
}

}  // namespace

const VerificationKey* KeySet::find(std::string_view kid, const Algorithm* algorithm) const {
  if (kid.empty()) return nullptr;
  const auto found = std::ranges::find_if(keys_, [kid, algorithm](const VerificationKey& key) {
    return key.kid == kid && (!algorithm || key.algorithm == algorithm);
  });
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

bool is_refused(const LoadedKeySet& loaded, std::size_t index) {
  return std::ranges::binary_search(loaded.refusals, index, {}, &KeyDiagnostic::index);
}

std::expected<LoadedKeySet, std::string> load_key_set(std::string_view json) {
  const auto refuse = [](std::string_view reason) { return std::unexpected("not a JWK set: " + std::string(reason)); };
  const auto parsed = parse_keys(json);
  if (!parsed) return refuse(parsed.error());
  const auto set = object_of(parsed->document.root());
  const auto keys = set ? member(*set, "keys") : std::nullopt;
  const auto jwks = keys ? array_of(*keys) : std::nullopt;
  if (!jwks) return refuse(no_keys);

  LoadedKeySet loaded;
  std::vector<VerificationKey> usable;
  std::size_t index = 0;
  auto fault = parsed->faults.begin();
  for (const JsonValue jwk : *jwks) {
    const std::string kid(kid_of(jwk).value_or(""));
    const bool has_fault = fault != parsed->faults.end() && fault->first == index;
    auto key = has_fault ? std::unexpected(std::string(description(fault++->second))) : read_one(jwk);
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
