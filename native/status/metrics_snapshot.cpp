#include "native/status/metrics_snapshot.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "core/base/text.hpp"

namespace portail {
namespace {

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);  // +Inf
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Parses a quoted text. `rest` begins after the first quote, and after the call behind the last one.
std::string parse_quoted(std::string_view& rest) {
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
std::optional<MetricSample> parse_sample(std::string_view line) {
  if (line.empty() || line.starts_with('#')) return std::nullopt;
  MetricSample sample;
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
      sample.labels.emplace_back(name, parse_quoted(rest));
      if (rest.starts_with(',')) rest.remove_prefix(1);
    }
    if (!rest.starts_with("} ")) return std::nullopt;
    rest.remove_prefix(2);
  }
  const auto value = parse_number(rest);
  if (!value) return std::nullopt;
  sample.value = *value;
  return sample;
}

}  // namespace

std::string_view MetricSample::label(std::string_view label_name) const {
  const auto found =
      std::ranges::find(labels, label_name, [](const auto& each) -> std::string_view { return each.first; });
  return found == labels.end() ? std::string_view() : found->second;
}

MetricsSnapshot::MetricsSnapshot(std::string_view text) {
  while (!text.empty()) {
    if (auto sample = parse_sample(take_until(text, '\n'))) samples_.push_back(std::move(*sample));
  }
}

std::optional<double> MetricsSnapshot::value(std::string_view name) const {
  const auto found = std::ranges::find(samples_, name, &MetricSample::name);
  if (found == samples_.end()) return std::nullopt;
  return found->value;
}

double MetricsSnapshot::sum(std::string_view name, const MetricLabels& labels) const {
  double sum = 0;
  for (const MetricSample& sample : samples_) {
    const bool matches =
        std::ranges::all_of(labels, [&sample](const auto& label) { return sample.label(label.first) == label.second; });
    if (sample.name == name && matches) sum += sample.value;
  }
  return sum;
}

}  // namespace portail
