#include "native/status/metrics_reading.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/base/text.hpp"

namespace portail {
namespace {

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);  // +Inf
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What stands between the quotes; `rest` begins after the first, and then after the last.
std::string quoted_text(std::string_view& rest) {
  std::string text;
  while (!rest.empty() && rest.front() != '"') {
    if (rest.front() == '\\' && rest.size() > 1) {
      rest.remove_prefix(1);
      text += rest.front() == 'n' ? '\n' : rest.front();
    } else {
      text += rest.front();
    }
    rest.remove_prefix(1);
  }
  if (!rest.empty()) rest.remove_prefix(1);
  return text;
}

// name{label="value",…} number
std::optional<ReadSample> sample_of(std::string_view line) {
  if (line.empty() || line.starts_with('#')) return std::nullopt;
  ReadSample sample;
  const std::size_t end = line.find_first_of("{ ");
  if (end == std::string_view::npos) return std::nullopt;
  sample.name = line.substr(0, end);
  std::string_view rest = line.substr(end + 1);
  if (line[end] == '{') {
    while (!rest.empty() && rest.front() != '}') {
      const std::size_t equals = rest.find("=\"");
      if (equals == std::string_view::npos) return std::nullopt;
      const std::string name(rest.substr(0, equals));
      rest.remove_prefix(equals + 2);
      sample.labels.emplace_back(name, quoted_text(rest));
      if (rest.starts_with(',')) rest.remove_prefix(1);
    }
    if (!rest.starts_with("} ")) return std::nullopt;
    rest.remove_prefix(2);
  }
  const auto value = number_of(rest);
  if (!value) return std::nullopt;
  sample.value = *value;
  return sample;
}

}  // namespace

std::string_view ReadSample::label(std::string_view wanted) const {
  const auto found = std::ranges::find(labels, wanted, [](const auto& each) -> std::string_view { return each.first; });
  return found == labels.end() ? std::string_view() : found->second;
}

MetricsReading::MetricsReading(std::string_view text) {
  while (!text.empty()) {
    if (auto sample = sample_of(take_until(text, '\n'))) samples_.push_back(std::move(*sample));
  }
}

std::optional<double> MetricsReading::value(std::string_view name) const {
  const auto found = std::ranges::find(samples_, name, &ReadSample::name);
  if (found == samples_.end()) return std::nullopt;
  return found->value;
}

double MetricsReading::sum(std::string_view name, const MetricLabels& labels) const {
  double sum = 0;
  for (const ReadSample& sample : samples_) {
    const bool fits = std::ranges::all_of(
        labels, [&sample](const auto& wanted) { return sample.label(wanted.first) == wanted.second; });
    if (sample.name == name && fits) sum += sample.value;
  }
  return sum;
}

}  // namespace portail
