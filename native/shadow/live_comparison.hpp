// Sends served requests to another service and compares the answers, on threads of its own. Requests of one caller are
// sent in their order. A server never waits for it: what exceeds its memory is dropped and counted.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/storage/folder/descriptor.hpp"
#include "native/shadow/recorded_request.hpp"
#include "native/shadow/shadow_options.hpp"

namespace portail {

// A request that was served, with its answer.
struct ServedRequest {
  shadow::ComparedRequest compared;
  shadow::RecordedRequest recorded;
  ServiceClient::Headers headers;  // those that the answer depends on
  TimedAnswer portal;

  // Returns the value of Authorization; empty: none.
  [[nodiscard]] std::string_view authorization() const;
};

class LiveComparison {
 public:
  // Opens the record, if one is wanted. The plan must outlive it.
  static std::expected<std::unique_ptr<LiveComparison>, Fault> create(const ShadowPlan& plan,
                                                                      const std::string& record);
  LiveComparison(const LiveComparison&) = delete;
  LiveComparison& operator=(const LiveComparison&) = delete;
  ~LiveComparison() { finish(); }

  // Starts the threads.
  void start();
  // Compares the pending requests for at most a few seconds, ends those in flight, and drops the others. Later requests
  // are dropped.
  void finish();

  // Any thread; neither waits nor fails. The request's body counts as reserved.
  void submit(ServedRequest request);
  void skip(shadow::Skip reason);
  void drop();
  // Appends bytes of an answer to its body; false: too much is pending, or memory is missing. What is not submitted
  // must be released.
  bool keep(std::string& body, std::string_view bytes);
  void release(std::size_t size);
  [[nodiscard]] std::size_t max_answer() const { return plan_.service.max_size; }

  // Call it after finish().
  [[nodiscard]] const shadow::Report& report() const { return report_; }
  // Returns why the record is incomplete; empty if it is complete.
  [[nodiscard]] const std::string& record_fault() const { return record_fault_; }

 private:
  struct Queue {
    std::deque<ServedRequest> pending;
    std::condition_variable changed;
    std::jthread worker;
  };

  LiveComparison(const ShadowPlan& plan, std::string record_name, std::optional<Descriptor> record);

  void run(Queue& queue);
  // Sends the request to the upstream, and compares. May throw if memory is missing.
  void compare(ServiceClient& client, ServedRequest& request);
  // Returns the next request; nullopt at the end.
  std::optional<ServedRequest> take(Queue& queue);
  void record(const shadow::RecordedRequest& request);

  const ShadowPlan& plan_;
  const std::string record_name_;
  std::mutex record_mutex_;  // guards the record, so that no request waits for its file
  std::optional<Descriptor> record_;
  std::string record_fault_;

  std::mutex large_mutex_;  // held while a large answer is compared, which takes many times its size

  std::stop_source stop_;  // of the exchanges in flight

  std::mutex mutex_;  // guards the members below, and the queues' requests
  std::condition_variable ended_;
  std::size_t workers_ = 0;  // that run
  std::vector<std::unique_ptr<Queue>> queues_;
  std::size_t reserved_ = 0;  // bytes
  bool is_finishing_ = false;
  std::chrono::steady_clock::time_point finish_deadline_;
  shadow::Report report_;
};

}  // namespace portail
