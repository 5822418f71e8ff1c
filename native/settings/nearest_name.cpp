#include "native/settings/nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "core/settings_table.hpp"

namespace portail {
namespace {

// A name of so many letters is meant with one of them wrong; every name, with one.
constexpr std::size_t letters_for_each_slip = 4;
constexpr std::size_t longest_name = 60;

// Levenshtein's distance: letters to insert, to remove or to exchange.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t exchanged = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, exchanged});
    }
  }
  return row.back();
}

class Nearest {
 public:
  explicit Nearest(std::string_view name)
      : name_(name), distance_(std::max<std::size_t>(name.size() / letters_for_each_slip, 1) + 1) {}

  void offer(std::string_view known) {
    if (known.empty() || name_.size() > longest_name) return;
    const std::size_t of_this = distance(name_, known);
    if (of_this >= distance_) return;
    distance_ = of_this;
    found_ = known;
  }
  [[nodiscard]] std::string question() const {
    return found_.empty() ? std::string() : "; did you mean " + std::string(found_) + "?";
  }

 private:
  std::string_view name_;
  std::size_t distance_;  // what the next one has to be below
  std::string_view found_;
};

}  // namespace

std::string nearest_setting(std::string_view name) {
  Nearest nearest(name);
  for (const Setting& setting : setting_table) {
    if (setting.in_file && !setting.is_hidden) nearest.offer(setting.name);
  }
  return nearest.question();
}

std::string nearest_variable(std::string_view name) {
  Nearest nearest(name);
  for (const Setting& setting : setting_table) nearest.offer(setting.variable);
  return nearest.question();
}

}  // namespace portail
