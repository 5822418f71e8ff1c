#include "core/http/reason.hpp"

#include <array>

#include "core/http/reason_table.hpp"

namespace portail {
namespace {

// Only the texts: the causes and remedies are not linked into WebAssembly hosts.
constexpr auto all_texts = [] {
  std::array<std::string_view, reason_table.size() + 1> texts;
  for (const ReasonRow& row : reason_table) texts[static_cast<std::size_t>(row.reason)] = row.text;
  return texts;
}();

}  // namespace

std::string_view text_of(Reason reason) { return all_texts[static_cast<std::size_t>(reason)]; }

}  // namespace portail
