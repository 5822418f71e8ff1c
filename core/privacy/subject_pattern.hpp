// Finds the subject of a person (`sub`) in stored keys and values, by content. Any thread.
//
// An occurrence is the subject as it is, or with any of its bytes escaped as in a URL (%zz; + for a space) or in JSON
// (\" or \u00e9). It is a whole token: the character before it and the one after it, decoded in the same way, are not
// characters of an identifier. Those are ASCII letters and digits, - . _ ~ @ | : and all bytes beyond ASCII.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portail {

class SubjectPattern {
 public:
  // `subject` must not be empty.
  explicit SubjectPattern(std::string_view subject);

  [[nodiscard]] bool occurs_in(std::string_view text) const { return replaced(text, {}).has_value(); }
  // Whether it occurs in a JSON string of the text that is not the name of a member. Numbers are no subjects.
  [[nodiscard]] bool occurs_in_strings(std::string_view text) const;
  // Whether the key names the person, or an entity with this identifier.
  [[nodiscard]] bool occurs_in_key(std::string_view key) const;
  // Whether the key is a part of the person's consultations, or of an index of their bundles.
  [[nodiscard]] bool is_consultation(std::string_view key) const { return key.starts_with(consultation_prefix_); }
  [[nodiscard]] bool is_index(std::string_view key) const;

  // Returns the text with each occurrence replaced; nullopt if there is none.
  [[nodiscard]] std::optional<std::string> replaced(std::string_view text, std::string_view replacement) const;

 private:
  std::string subject_;
  std::string consultation_prefix_;
};

}  // namespace portail
