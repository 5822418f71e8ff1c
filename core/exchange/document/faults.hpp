// The faults of a document, one line each, with their location: "liasses[3].piecesAttendues[0].id: not a UUID". One
// thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portail {

// A location in the document: a chain of names and indexes on the stack, formatted for faults only.
struct DocumentLocation {
  const DocumentLocation* parent = nullptr;
  std::string_view name;
  std::optional<std::uint64_t> index;

  [[nodiscard]] std::string text() const;
};

// Keeps the first max_fault_lines lines and counts all faults.
class Faults {
 public:
  // `message` begins in lower case, without a full stop or line breaks.
  void add(const DocumentLocation& location, std::string_view message);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::vector<std::string> release_lines() { return std::move(lines_); }

 private:
  std::vector<std::string> lines_;
  std::uint64_t count_ = 0;
};

// Returns `text` as a JSON string, truncated if it is long.
std::string in_quotes(std::string_view text);

}  // namespace portail
