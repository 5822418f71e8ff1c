#include "native/shadow/live_comparison.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <utility>

#include <fcntl.h>

#include "core/base/text.hpp"
#include "native/system/atomic_file.hpp"
#include "native/system/small_file.hpp"

namespace portail {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t worker_threads = 4;
constexpr std::size_t max_pending = 1000;        // requests of one thread
constexpr std::size_t max_reserved_answers = 4;  // of the maximum size
constexpr std::chrono::seconds finish_timeout{10};
constexpr std::size_t large_answer = 1U << 20U;  // bytes; one such answer is compared at a time

}  // namespace

std::string_view ServedRequest::authorization() const {
  const auto found = std::ranges::find_if(
      headers, [](const auto& header) { return equals_ignoring_case(header.first, "Authorization"); });
  return found == headers.end() ? std::string_view() : found->second;
}

std::expected<std::unique_ptr<LiveComparison>, Fault> LiveComparison::create(const ShadowPlan& plan,
                                                                             const std::string& record) {
  std::optional<Descriptor> file;
  if (!record.empty()) {
    auto opened = open_private_file(record, O_WRONLY);
    if (!opened) return failure("cannot write --record " + record + ": " + opened.error());
    file.emplace(std::move(*opened));
  }
  return std::unique_ptr<LiveComparison>(new LiveComparison(plan, record, std::move(file)));
}

LiveComparison::LiveComparison(const ShadowPlan& plan, std::string record_name, std::optional<Descriptor> record)
    : plan_(plan), record_name_(std::move(record_name)), record_(std::move(record)), report_(plan.report) {
  for (std::size_t i = 0; i < worker_threads; ++i) queues_.push_back(std::make_unique<Queue>());
}

void LiveComparison::start() {
  const std::lock_guard lock(mutex_);
  for (const auto& queue : queues_) {
    queue->worker = std::jthread([this, &queue] { run(*queue); });
    ++workers_;
  }
}

void LiveComparison::finish() {
  {
    std::unique_lock lock(mutex_);
    if (!std::exchange(is_finishing_, true)) finish_deadline_ = steady_clock::now() + finish_timeout;
    for (const auto& queue : queues_) queue->changed.notify_all();
    ended_.wait_until(lock, finish_deadline_, [this] { return workers_ == 0; });
  }
  stop_.request_stop();
  for (const auto& queue : queues_) {
    if (queue->worker.joinable()) queue->worker.join();
  }
}

void LiveComparison::submit(ServedRequest request) {
  const std::size_t size = request.portal.answer.body.size();
  Queue& queue = *queues_[std::hash<std::string_view>()(request.authorization()) % queues_.size()];
  const std::lock_guard lock(mutex_);
  if (is_finishing_ || queue.pending.size() >= max_pending) {
    reserved_ -= size;
    return report_.drop();
  }
  queue.pending.push_back(std::move(request));
  queue.changed.notify_one();
}

void LiveComparison::skip(shadow::Skip reason) {
  const std::lock_guard lock(mutex_);
  report_.skip(reason);
}

void LiveComparison::drop() {
  const std::lock_guard lock(mutex_);
  report_.drop();
}

bool LiveComparison::keep(std::string& body, std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (reserved_ + bytes.size() > max_reserved_answers * max_answer()) return false;
    reserved_ += bytes.size();
  }
  try {
    body += bytes;
  } catch (const std::bad_alloc&) {
    release(bytes.size());
    return false;
  }
  return true;
}

void LiveComparison::release(std::size_t size) {
  const std::lock_guard lock(mutex_);
  reserved_ -= size;
}

std::optional<ServedRequest> LiveComparison::take(Queue& queue) {
  std::unique_lock lock(mutex_);
  queue.changed.wait(lock, [&] { return is_finishing_ || !queue.pending.empty(); });
  if (queue.pending.empty()) return std::nullopt;
  if (is_finishing_ && steady_clock::now() >= finish_deadline_) {
    report_.drop(queue.pending.size());
    queue.pending.clear();
    return std::nullopt;
  }
  ServedRequest request = std::move(queue.pending.front());
  queue.pending.pop_front();
  return request;
}

void LiveComparison::run(Queue& queue) {
  std::optional<ServiceClient> client;
  while (auto request = take(queue)) {
    try {
      if (!client) client.emplace(plan_.upstream, plan_.service);
      compare(*client, *request);
    } catch (const std::exception& error) {  // std::bad_alloc: an answer may take too much, and the server goes on
      client.reset();
      const std::lock_guard lock(mutex_);
      report_.fail(error);
    }
    release(request->portal.answer.body.size());
  }
  const std::lock_guard lock(mutex_);
  --workers_;
  ended_.notify_all();
}

void LiveComparison::compare(ServiceClient& client, ServedRequest& request) {
  const std::string_view authorization = request.authorization();
  request.compared.token = authorization.substr(authorization.rfind(' ') + 1);
  const auto answer = client.send(request.compared.method, request.recorded.target, request.headers, stop_.get_token());
  record(request.recorded);
  if (!answer) {
    const std::lock_guard lock(mutex_);
    return stop_.stop_requested() ? report_.drop() : report_.fail(shadow::Side::upstream, answer.error());
  }
  // Outside the lock of the report: a long answer must not delay the server's threads.
  shadow::Differences differences;
  {
    std::unique_lock turn(large_mutex_, std::defer_lock);
    if (answer->answer.body.size() + request.portal.answer.body.size() > large_answer) turn.lock();
    differences = shadow::compare_answers(request.compared, request.portal.answer, answer->answer);
  }
  const std::lock_guard lock(mutex_);
  report_.add(request.compared, differences, {.portal = request.portal.time, .upstream = answer->time});
}

void LiveComparison::record(const shadow::RecordedRequest& request) {
  const std::lock_guard lock(record_mutex_);
  if (!record_) return;
  const auto written = write_all(record_->number(), shadow::record_line(request) + '\n');
  if (written) return;
  record_fault_ = "cannot write --record " + record_name_ + ": " + std::strerror(written.error());
  record_.reset();
}

}  // namespace portail
