// The report of a comparison: differences, and the distribution of times. One thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "native/shadow/compare.hpp"

namespace portail::shadow {

// The distribution of times, in a fixed memory. One thread.

class Latencies {
 public:
  void record(std::chrono::microseconds time);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Returns a time that this share of the times, in percent, does not exceed: at most 3 % above the exact one. Zero
  // without times.
  [[nodiscard]] std::chrono::microseconds percentile(unsigned percent) const;

 private:
  // Buckets of exact times up to 64 µs, then 32 for each power of two.
  static constexpr unsigned exact_bits = 6;
  static constexpr std::size_t bucket_count = (64 - exact_bits + 1) * 32U + 32U;

  std::array<std::uint64_t, bucket_count> counts_{};
  std::uint64_t count_ = 0;
};

// What the comparisons of a run found: counts, differences by row with examples, latencies. One thread at a time.

struct ReportOptions {
  std::size_t max_examples = 3;            // of each row
  bool show_values = false;                // examples have values, which may be personal data
  std::vector<std::string> accepted = {};  // rows whose differences do not fail the run
};

enum class Side : std::uint8_t { portal, upstream };

// Why a request was not compared.
enum class Skip : std::uint8_t {
  method,         // neither GET nor HEAD
  path,           // not below /api/
  no_target,      // the line of the log has no id
  not_a_request,  // the line is of no request
  not_modified,   // the portal answered 304
  too_large,      // the portal's answer exceeds the limit
  unfinished,     // the client closed the connection before the end
  refused,        // the portal answered 429 to its client
};

class Report {
 public:
  explicit Report(ReportOptions options) : options_(std::move(options)) {}

  struct Times {
    std::chrono::microseconds portal;
    std::chrono::microseconds upstream;
  };
  void add(const ComparedRequest& request, const Differences& differences, Times times);
  void skip(Skip reason) { ++skipped_.at(static_cast<std::size_t>(reason)); }
  // A comparison that was not begun, since too many were pending.
  void drop(std::uint64_t count = 1) { dropped_ += count; }
  // A request that a side did not answer.
  void fail(Side side, const std::string& reason) { ++failures_[{side, reason}]; }
  // An answer of the upstream that was not compared: memory is missing.
  void fail(const std::exception& error) {
    fail(Side::upstream, std::string("its answer was not compared: ") + error.what());
  }

  [[nodiscard]] std::uint64_t compared() const { return compared_; }
  // Returns why the run fails, for an operator: differences, requests without an answer, no comparison at all. Empty if
  // it succeeds.
  [[nodiscard]] std::string fault() const;

  // Returns one JSON object.
  [[nodiscard]] std::string json() const;
  // Returns rows for people: a subject and a text.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> rows() const;

 private:
  static constexpr std::size_t skip_count = 8;
  static constexpr std::size_t index(Side side) { return static_cast<std::size_t>(side); }

  struct Example {
    std::string request;
    std::string location;
    std::string portal;
    std::string upstream;
  };
  struct RowCount {
    std::uint64_t count = 0;
    std::vector<Example> examples;
  };

  [[nodiscard]] bool is_accepted(std::string_view row) const;
  [[nodiscard]] std::uint64_t count_differences(bool accepted) const;
  [[nodiscard]] std::uint64_t count_failures() const;

  ReportOptions options_;
  std::uint64_t compared_ = 0;
  std::uint64_t equal_ = 0;
  std::uint64_t dropped_ = 0;
  std::array<std::uint64_t, skip_count> skipped_{};
  std::map<std::string_view, RowCount> differences_;
  std::map<std::pair<Side, std::string>, std::uint64_t> failures_;
  std::array<Latencies, 2> latencies_;
};

}  // namespace portail::shadow
