#include "native/system/pseudonyms.hpp"

#include <functional>

#include "core/crypto/hash.hpp"

namespace portail {

void Pseudonyms::append(std::string& out, std::string_view subject) {
  if (subject.size() > max_cached_subject) {
    out += pseudonym_of(subject, key_);
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
  std::string pseudonym = pseudonym_of(subject, key_);
  out += pseudonym;
  const std::lock_guard lock(slot.mutex);
  slot.subject = subject;
  slot.pseudonym = std::move(pseudonym);
}

}  // namespace portail
