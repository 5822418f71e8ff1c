#include "edge/stores/spin/spin_store.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "edge/async/events.hpp"
#include "edge/stores/adopted_bytes.hpp"

namespace portail::edge {
namespace {

constexpr std::int64_t max_call_microseconds = 10'000'000;
constexpr std::size_t max_concurrent_calls = 32;

// The timeout of calls to the host: the rest of the request's deadline, at most max_call_microseconds.
class CallTimeout {
 public:
  explicit CallTimeout(const Context& context)
      : remaining_(context.deadline.microseconds -
                   std::min(context.clock.now().microseconds, context.deadline.microseconds)),
        timer_(static_cast<std::uint64_t>(std::min(remaining_, max_call_microseconds)) * 1000) {}

  Timer& timer() { return timer_; }
  // Logs that the timeout has ended, and returns the failure of the operation.
  std::unexpected<Failure> timed_out(Context& context, std::string_view event) const {
    context.log.warn(event, "timed out waiting for the host");
    return std::unexpected(remaining_ < max_call_microseconds ? Failure::cancelled : Failure::unavailable);
  }

 private:
  std::int64_t remaining_;
  Timer timer_;
};

std::unexpected<Failure> failed(Context& context, std::string_view event, const spin_key_value_error_t& error) {
  std::string_view text = "no reason given by the host";
  if (error.tag == SPIN_KEY_VALUE_ERROR_STORE_TABLE_FULL) text = "the host has too many open stores";
  if (error.tag == SPIN_KEY_VALUE_ERROR_NO_SUCH_STORE) text = "the host has no store of that label";
  if (error.tag == SPIN_KEY_VALUE_ERROR_ACCESS_DENIED) text = "key_value_stores in spin.toml does not name the store";
  if (error.tag == SPIN_KEY_VALUE_ERROR_OTHER) {
    text = view_of(error.val.other);
  }
  context.log.warn(event, text);
  return std::unexpected(Failure::unavailable);
}

// Suspends until the call has returned.
Task<void> finish(Context& context, CallTimeout& timeout, Subtask& call, std::string_view event) {
  // Spin reads SQLite within the call, and Redis within the wait.
  Events::current().note_blocking_call();
  while (!call.returned()) {
    const auto state = co_await Wait(call.waitable(), timeout.timer());
    if (!state) co_return co_await timeout.timed_out(context, event);
    call.on_event(*state);
  }
}

// The same, and fails if the call's result is an error.
template <class Call>
Task<void> finish(Context& context, CallTimeout& timeout, Call& call, std::string_view event) {
  co_await finish(context, timeout, call.subtask(), event);
  if (call.result().is_err) co_await failed(context, event, call.result().val.err);
}

}  // namespace

Task<spin_key_value_borrow_store_t> SpinStore::store(Context& context) {
  if (!store_) {
    CallTimeout timeout(context);
    OpenCall call(label_, "");
    call.subtask().set_status(spin_key_value_static_store_open(call.key(), &call.result()));
    co_await finish(context, timeout, call, "store: the host's store cannot be opened");
    // Moves the handle out of the call. If another request has opened the store meanwhile, that store is kept.
    HostStore opened(std::exchange(call.result().val.ok, {}));
    call.result() = {.is_err = true, .val = {.err = {.tag = SPIN_KEY_VALUE_ERROR_NO_SUCH_STORE, .val = {}}}};
    if (!store_) store_ = std::move(opened);
  }
  co_return spin_key_value_borrow_store(store_.get());
}

Task<void> SpinStore::read(Context& context, std::span<const std::string_view> keys, std::span<Value> values,
                           HostBuffers& buffers) {
  constexpr std::string_view event = "store: a read failed";
  const auto host = co_await store(context);
  for (std::size_t begin = 0; begin < keys.size(); begin += max_concurrent_calls) {
    CallTimeout timeout(context);
    const auto batch = keys.subspan(begin, std::min(max_concurrent_calls, keys.size() - begin));
    std::vector<std::unique_ptr<ReadCall>> calls;
    for (const std::string_view key : batch) {
      ReadCall& call = *calls.emplace_back(std::make_unique<ReadCall>(key, ""));
      call.subtask().set_status(spin_key_value_method_store_get(host, call.key(), &call.result()));
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      co_await finish(context, timeout, *calls[i], event);
      spin_option_list_u8_t& found = calls[i]->result().val.ok;
      values[begin + i] = found.is_some ? Value(adopt(found.val, buffers)) : std::nullopt;
    }
  }
}

Task<void> SpinStore::apply(Context& context, std::span<const Change> changes) {
  constexpr std::string_view event = "store: a write failed";
  const auto host = co_await store(context);
  for (std::size_t begin = 0; begin < changes.size(); begin += max_concurrent_calls) {
    CallTimeout timeout(context);
    const auto batch = last_changes(changes.subspan(begin, std::min(max_concurrent_calls, changes.size() - begin)));
    std::vector<WriteCall> calls;
    for (const Change& change : batch) {
      WriteCall& call = calls.emplace_back(change.key, change.value.value_or(""));
      if (change.value) {
        spin_key_value_method_store_set_args_t arguments{.self = host, .key = call->key(), .value = call->value()};
        call->subtask().set_status(spin_key_value_method_store_set(&arguments, &call->result()));
      } else {
        call->subtask().set_status(spin_key_value_method_store_delete(host, call->key(), &call->result()));
      }
    }
    for (WriteCall& call : calls) co_await finish(context, timeout, *call, event);
  }
}

Task<bool> SpinStore::swap(Context& context, std::string_view key, Value expected, std::string_view desired) {
  if (!swaps_) {
    auto opened = Keyvalue2Store::open(label_);
    if (!opened) {
      context.log.warn("store: a write failed", opened.error());
      co_return std::unexpected(Failure::unavailable);
    }
    swaps_ = std::move(*opened);
  }
  co_return co_await swaps_->compare_and_swap(context, key, expected, desired);
}

Task<std::vector<std::string>> SpinStore::keys(Context& context, std::string_view) {
  constexpr std::string_view event = "store: a scan failed";
  const auto host = co_await store(context);
  CallTimeout timeout(context);
  spin_key_value_tuple2_stream_string_future_result_void_error_t ends{};
  Subtask call;
  call.set_status(spin_key_value_method_store_get_keys(host, &ends));
  co_await finish(context, timeout, call, event);
  KeyStream stream(ends);
  while (!stream.ended()) {
    stream.read_names();
    if (!stream.blocked()) continue;
    const auto code = co_await Wait(stream.names(), timeout.timer());
    if (!code) co_return timeout.timed_out(context, event);
    stream.on_names_read(*code);
  }
  stream.read_outcome();
  if (stream.blocked()) {
    const auto code = co_await Wait(stream.outcome(), timeout.timer());
    if (!code) co_return timeout.timed_out(context, event);
    stream.on_outcome_read();
  }
  if (const auto* error = stream.error()) co_return failed(context, event, *error);
  co_return stream.release_keys();
}

}  // namespace portail::edge
