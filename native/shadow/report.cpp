#include "native/shadow/report.hpp"

#include <algorithm>
#include <bit>

#include "core/json/writer.hpp"
#include "native/system/log.hpp"
#include "native/system/terminal.hpp"

namespace portail::shadow {
namespace {

constexpr std::uint64_t half = 32;  // buckets for each power of two

}  // namespace

void Latencies::record(std::chrono::microseconds time) {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
  const auto width = static_cast<unsigned>(std::bit_width(value));
  const unsigned shift = width > exact_bits ? width - exact_bits : 0;
  ++counts_[shift * half + (value >> shift)];
  ++count_;
}

std::chrono::microseconds Latencies::percentile(unsigned percent) const {
  const std::uint64_t rank = (count_ * percent + 99) / 100;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size() && count_ > 0; ++i) {
    seen += counts_[i];
    if (seen < std::max<std::uint64_t>(rank, 1)) continue;
    const std::uint64_t shift = i < 2 * half ? 0 : i / half - 1;
    const std::uint64_t first = i - shift * half;
    return std::chrono::microseconds(((first + 1) << shift) - 1);
  }
  return std::chrono::microseconds(0);
}

namespace {

struct SkipText {
  std::string_view name;  // of the JSON member
  std::string_view text;
};
constexpr std::array skip_texts{SkipText{"method", "with another method than GET and HEAD"},
                                SkipText{"path", "outside /api/"},
                                SkipText{"noTarget", "whose line has no id"},
                                SkipText{"notARequest", "lines of no request"},
                                SkipText{"notModified", "answered 304"},
                                SkipText{"tooLarge", "with a larger answer than --max-answer"},
                                SkipText{"unfinished", "whose client left before the end"},
                                SkipText{"refused", "answered 429"}};

constexpr std::array side_names{std::string_view("portal"), std::string_view("upstream")};

// Returns "(hidden)" for a text that has the token, or what follows its last dot: a signature.
std::string without_token(const std::string& text, std::string_view token) {
  const std::string_view secret = token.substr(token.rfind('.') + 1);
  return !secret.empty() && text.contains(secret) ? "(hidden)" : text;
}

std::int64_t number_of_json(std::uint64_t count) { return static_cast<std::int64_t>(count); }

void append_latency(JsonWriter& json, const Latencies& latencies) {
  json.begin_object().name("count").integer(number_of_json(latencies.count()));
  json.name("median").integer(latencies.percentile(50).count());
  json.name("p99").integer(latencies.percentile(99).count()).end_object();
}

std::string latency_text(const Latencies& latencies) {
  return "median " + std::to_string(latencies.percentile(50).count()) + " µs, 99th percentile " +
         std::to_string(latencies.percentile(99).count()) + " µs";
}

}  // namespace

void Report::add(const ComparedRequest& request, const Differences& differences, Times times) {
  latencies_[index(Side::portal)].record(times.portal);
  latencies_[index(Side::upstream)].record(times.upstream);
  ++compared_;
  if (differences.empty()) ++equal_;
  for (const Difference& difference : differences) {
    RowCount& row = differences_[difference.row];
    ++row.count;
    if (row.examples.size() >= options_.max_examples) continue;
    const auto shown = [this, &request](const ShownValue& value) {
      return options_.show_values ? without_token(value.text, request.token) : value.kind;
    };
    row.examples.push_back({.request = request_text(request),
                            .location = without_token(difference.location, request.token),
                            .portal = shown(difference.portal),
                            .upstream = shown(difference.upstream)});
  }
}

bool Report::is_accepted(std::string_view row) const { return std::ranges::contains(options_.accepted, row); }

std::uint64_t Report::count_differences(bool accepted) const {
  std::uint64_t count = 0;
  for (const auto& [row, found] : differences_) count += is_accepted(row) == accepted ? found.count : 0;
  return count;
}

std::uint64_t Report::count_failures() const {
  std::uint64_t count = 0;
  for (const auto& [failed, times] : failures_) count += times;
  return count;
}

std::string Report::fault() const {
  std::string fault;
  const auto append = [&fault](const std::string& part) { fault.append(fault.empty() ? "" : ", ").append(part); };
  if (const auto count = count_differences(false); count > 0) append(counted(count, "difference", "differences"));
  if (const auto count = count_failures(); count > 0)
    append(counted(count, "request", "requests") + " without an answer");
  if (compared_ == 0) append("no answer was compared");
  return fault;
}

std::string Report::json() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("compared").integer(number_of_json(compared_));
  json.name("equal").integer(number_of_json(equal_));
  json.name("differences").integer(number_of_json(count_differences(false)));
  json.name("accepted").integer(number_of_json(count_differences(true)));
  json.name("rows").begin_array();
  for (const auto& [row, found] : differences_) {
    json.begin_object().name("row").string(row).name("count").integer(number_of_json(found.count));
    json.name("accepted").boolean(is_accepted(row)).name("examples").begin_array();
    for (const Example& example : found.examples) {
      json.begin_object().name("request").string(example.request).name("location").raw(log_string(example.location));
      json.name("portal").raw(log_string(example.portal)).name("upstream").raw(log_string(example.upstream));
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().name("skipped").begin_object();
  for (std::size_t i = 0; i < skipped_.size(); ++i) json.name(skip_texts[i].name).integer(number_of_json(skipped_[i]));
  json.end_object().name("dropped").integer(number_of_json(dropped_)).name("failures").begin_array();
  for (const auto& [failed, times] : failures_) {
    json.begin_object().name("side").string(side_names[index(failed.first)]);
    json.name("reason").raw(log_string(failed.second)).name("count").integer(number_of_json(times)).end_object();
  }
  json.end_array().name("microseconds").begin_object();
  for (std::size_t i = 0; i < latencies_.size(); ++i) append_latency(json.name(side_names[i]), latencies_[i]);
  json.end_object().end_object();
  return text;
}

std::vector<std::pair<std::string, std::string>> Report::rows() const {
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("compared", counted(compared_, "answer", "answers") + ", " + std::to_string(equal_) + " equal");
  for (const auto& [row, found] : differences_) {
    rows.emplace_back(is_accepted(row) ? "accepted" : "difference",
                      std::string(row) + ": " + std::to_string(found.count));
    for (const Example& example : found.examples) {
      rows.emplace_back(
          "", example.request + ", " + example.location + ": " + example.portal + ", upstream " + example.upstream);
    }
  }
  for (std::size_t i = 0; i < skipped_.size(); ++i) {
    if (skipped_[i] > 0)
      rows.emplace_back("skipped", std::to_string(skipped_[i]) + ' ' + std::string(skip_texts[i].text));
  }
  if (dropped_ > 0) rows.emplace_back("dropped", std::to_string(dropped_) + ": too many comparisons were pending");
  for (const auto& [failed, times] : failures_) {
    rows.emplace_back("failed", std::string(side_names[index(failed.first)]) + ", " +
                                    counted(times, "request", "requests") + ": " + failed.second);
  }
  for (std::size_t i = 0; i < latencies_.size(); ++i) {
    if (latencies_[i].count() > 0) rows.emplace_back(side_names[i], latency_text(latencies_[i]));
  }
  return rows;
}

}  // namespace portail::shadow
