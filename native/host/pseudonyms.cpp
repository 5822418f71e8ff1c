#include "native/host/pseudonyms.hpp"

#include <functional>
#include <span>

#include "core/base/hexadecimal.hpp"
#include "core/crypto/hash.hpp"

namespace portail {
namespace {

constexpr std::size_t pseudonym_bytes = 16;

}  // namespace

void Pseudonyms::append(std::string& out, std::string_view subject) {
  if (subject.size() > longest_remembered) {
    out += make(subject);
    return;
  }
  Place& place = places_[std::hash<std::string_view>{}(subject) % places];
  {
    const std::lock_guard lock(place.mutex);
    if (!place.pseudonym.empty() && place.subject == subject) {
      out += place.pseudonym;
      return;
    }
  }
  std::string pseudonym = make(subject);
  out += pseudonym;
  const std::lock_guard lock(place.mutex);
  place.subject = subject;
  place.pseudonym = std::move(pseudonym);
}

std::string Pseudonyms::make(std::string_view subject) const {
  const Hash32 hash = hmac_sha256(std::as_bytes(std::span(key_)), subject);
  return lower_hex(std::span(hash).first(pseudonym_bytes));
}

}  // namespace portail
