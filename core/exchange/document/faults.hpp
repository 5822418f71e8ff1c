// What is wrong with a document, one line for each fault, and where it stands: "liasses[3].piecesAttendues[0].id: not a
// UUID". One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portail {

// A place in the document: a chain of names and indexes that stand on the stack, spelt only when something is wrong.
struct Place {
  const Place* parent = nullptr;
  std::string_view name;
  std::optional<std::uint64_t> index;

  [[nodiscard]] std::string text() const;
};

// Keeps the first lines and counts the others.
class Faults {
 public:
  // `message` begins in lower case, and has no full stop and no line break.
  void add(const Place& place, std::string_view message);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::vector<std::string> take_lines() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
  std::uint64_t count_ = 0;
};

// `text` as a fault quotes it: a JSON string, cut off when it is long.
std::string in_quotes(std::string_view text);

}  // namespace portail
