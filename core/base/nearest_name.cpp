#include "core/base/nearest_name.hpp"

#include <algorithm>
#include <vector>

#include "core/base/text.hpp"

namespace portail {
namespace {

// One typo is allowed for each such number of letters, and at least one.
constexpr std::size_t letters_per_typo = 4;
constexpr std::size_t max_name_size = 60;

bool are_equal(char a, char b) { return to_lower_ascii(a) == to_lower_ascii(b); }

// The optimal string alignment distance: insertions, deletions, substitutions and transpositions. The case is ignored.
std::size_t distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> of((a.size() + 1) * width);
  for (std::size_t at = 0; at < of.size(); ++at) {
    const std::size_t i = at / width;
    const std::size_t j = at % width;
    if (i == 0 || j == 0) {
      of[at] = i + j;
      continue;
    }
    const std::size_t exchanged = of[at - width - 1] + (are_equal(a[i - 1], b[j - 1]) ? 0 : 1);
    of[at] = std::min(std::min(of[at - width], of[at - 1]) + 1, exchanged);
    if (i > 1 && j > 1 && are_equal(a[i - 1], b[j - 2]) && are_equal(a[i - 2], b[j - 1]))
      of[at] = std::min(of[at], of[at - 2 * width - 2] + 1);
  }
  return of.back();
}

}  // namespace

NearestName::NearestName(std::string_view name)
    : name_(name), distance_(std::max<std::size_t>(name.size() / letters_per_typo, 1) + 1) {}

void NearestName::add(std::string_view known) {
  if (known.empty() || name_.size() > max_name_size) return;
  if (known.starts_with(name_)) {
    prefix_match_ = known;
    ++prefix_match_count_;
  }
  const std::size_t candidate_distance = distance(name_, known);
  if (candidate_distance >= distance_) return;
  distance_ = candidate_distance;
  best_match_ = known;
}

std::string_view NearestName::found() const {
  return prefix_match_count_ == 1 && !name_.empty() ? prefix_match_ : best_match_;
}

std::string NearestName::question() const {
  return found().empty() ? std::string() : "; did you mean " + std::string(found()) + "?";
}

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  return std::string(NearestName(name, known).found());
}

std::string suggestion_for(std::string_view name, std::span<const std::string> known) {
  return NearestName(name, known).question();
}

}  // namespace portail
