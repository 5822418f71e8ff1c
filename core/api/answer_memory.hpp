// Answers that were made before, so that they are not made again: for hosts that live longer than a request. An answer
// is a function of what was asked and of the stored values that it is made of, and counts only where the values read
// now are equal to those, byte by byte: a changed byte is seen by the next request. No clock, nothing to invalidate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/cache_key.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Copies of stored values.
class StoredCopies {
 public:
  explicit StoredCopies(std::span<const Value> values);

  [[nodiscard]] bool equal(std::span<const Value> values) const;
  [[nodiscard]] std::size_t bytes() const;
  friend bool operator==(const StoredCopies&, const StoredCopies&) = default;

 private:
  std::vector<std::optional<std::string>> values_;
};

struct RememberedAnswer {
  CacheKey question;  // the endpoint, and every parameter that its answer depends on
  std::shared_ptr<const StoredCopies> made_of;
  std::string body;
  std::string tag;  // of the body
};

// The port. Hosts with threads make implementations that many may call at once.
class AnswerMemory {
 public:
  virtual ~AnswerMemory() = default;
  // What was made for `question` last, of whatever values; null where it is not known.
  [[nodiscard]] virtual std::shared_ptr<const RememberedAnswer> find(const CacheKey& question) = 0;
  // Takes the place of what was made for the same question; may forget others for it.
  virtual void keep(RememberedAnswer answer) = 0;
};

// The last few: at most 64, and 1 MiB with the values that they are made of; an answer that has more than an eighth of
// that is not kept. The one that was not asked for longest makes way. One thread.
class BoundedAnswerMemory final : public AnswerMemory {
 public:
  static constexpr std::size_t most_answers = 64;
  static constexpr std::size_t most_bytes = std::size_t{1024} * 1024;

  [[nodiscard]] std::shared_ptr<const RememberedAnswer> find(const CacheKey& question) override;
  void keep(RememberedAnswer answer) override;

  // Held now; values that several answers are made of count for each.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return places_.size(); }

 private:
  struct Place {
    std::size_t hash = 0;  // of the question
    std::shared_ptr<const RememberedAnswer> answer;
    std::size_t bytes = 0;
    std::uint64_t asked = 0;  // when it was asked for last, in questions
  };

  [[nodiscard]] std::vector<Place>::iterator place_of(const CacheKey& question);
  void forget(std::vector<Place>::iterator place);

  std::vector<Place> places_;
  std::size_t bytes_ = 0;
  std::uint64_t questions_ = 0;
};

}  // namespace portail
