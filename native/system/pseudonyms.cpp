#include "native/system/pseudonyms.hpp"

#include <functional>
#include <span>

#include "core/base/hexadecimal.hpp"
#include "core/crypto/hash.hpp"

namespace portail {
namespace {

constexpr std::size_t pseudonym_bytes = 16;

}  // namespace

void Pseudonyms::append(std::string& out, std::string_view subject) {
  if (subject.size() > max_cached_subject) {
    out += compute(subject);
    return;
  }
  Slot& slot = slots_[std::hash<std::string_view>{}(subject) % slot_count];
  {
    const std::lock_guard lock(slot.mutex);
    if (!slot.pseudonym.empty() && slot.subject == subject) {
      out += slot.pseudonym;
      return;
    }
  }
  std::string pseudonym = compute(subject);
  out += pseudonym;
  const std::lock_guard lock(slot.mutex);
  slot.subject = subject;
  slot.pseudonym = std::move(pseudonym);
}

std::string Pseudonyms::compute(std::string_view subject) const {
  const Hash32 hash = hmac_sha256(std::as_bytes(std::span(key_)), subject);
  return lower_hex(std::span(hash).first(pseudonym_bytes));
}

}  // namespace portail
