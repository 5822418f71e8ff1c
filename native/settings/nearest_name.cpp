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

// Letters to insert, to remove or to exchange, and neighbours that changed places (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> of(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) of[i][0] = i;
  std::iota(of[0].begin(), of[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t exchanged = of[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      of[i][j] = std::min({of[i - 1][j] + 1, of[i][j - 1] + 1, exchanged});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        of[i][j] = std::min(of[i][j], of[i - 2][j - 2] + 1);
    }
  }
  return of[a.size()][b.size()];
}

class Nearest {
 public:
  explicit Nearest(std::string_view name)
      : name_(name), distance_(std::max<std::size_t>(name.size() / letters_for_each_slip, 1) + 1) {}

  void offer(std::string_view known) {
    if (known.empty() || name_.size() > longest_name) return;
    if (known.starts_with(name_)) {
      begun_ = known;
      ++begun_count_;
    }
    const std::size_t of_this = distance(name_, known);
    if (of_this >= distance_) return;
    distance_ = of_this;
    found_ = known;
  }
  [[nodiscard]] std::string_view found() const { return begun_count_ == 1 && !name_.empty() ? begun_ : found_; }

 private:
  std::string_view name_;
  std::size_t distance_;  // what the next one has to be below
  std::string_view found_;
  std::string_view begun_;  // the last that begins as the name does
  std::size_t begun_count_ = 0;
};

std::string question(std::string_view found) {
  return found.empty() ? std::string() : "; did you mean " + std::string(found) + "?";
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  Nearest nearest(name);
  for (const std::string& each : known) nearest.offer(each);
  return std::string(nearest.found());
}

std::string nearest_of(std::string_view name, std::span<const std::string> known) {
  return question(nearest_name(name, known));
}

std::string nearest_setting(std::string_view name) {
  Nearest nearest(name);
  for (const Setting& setting : setting_table) {
    if (setting.in_file && !setting.is_hidden) nearest.offer(setting.name);
  }
  return question(nearest.found());
}

std::string nearest_variable(std::string_view name) {
  Nearest nearest(name);
  for (const Setting& setting : setting_table) nearest.offer(setting.variable);
  return question(nearest.found());
}

}  // namespace portail
