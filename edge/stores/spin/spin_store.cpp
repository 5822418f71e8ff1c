#include "edge/stores/spin/spin_store.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "edge/async/events.hpp"
#include "edge/stores/moved_bytes.hpp"
#include "edge/stores/spin/host_call.hpp"
#include "edge/stores/spin/listed_keys.hpp"

namespace portail::edge {
namespace {

constexpr std::int64_t longest_call_microseconds = 10'000'000;
constexpr std::size_t calls_at_once = 32;

// What a store may take: the request's time, and never more than the longest call.
class Patience {
 public:
  explicit Patience(const Context& context)
      : left_(context.deadline.microseconds -
              std::min(context.clock.now().microseconds, context.deadline.microseconds)),
        timer_(static_cast<std::uint64_t>(std::min(left_, longest_call_microseconds)) * 1000) {}

  Timer& timer() { return timer_; }
  // What it means that the timer is over.
  std::unexpected<Failure> over(Context& context, std::string_view event) const {
    context.log.warn(event, "the host takes too long");
    return std::unexpected(left_ < longest_call_microseconds ? Failure::cancelled : Failure::unavailable);
  }

 private:
  std::int64_t left_;
  Timer timer_;
};

std::unexpected<Failure> failed(Context& context, std::string_view event, const spin_key_value_error_t& error) {
  std::string_view text = "the host gives no reason";
  if (error.tag == SPIN_KEY_VALUE_ERROR_STORE_TABLE_FULL) text = "the host has too many open stores";
  if (error.tag == SPIN_KEY_VALUE_ERROR_NO_SUCH_STORE) text = "the host has no store of that label";
  if (error.tag == SPIN_KEY_VALUE_ERROR_ACCESS_DENIED) text = "key_value_stores in spin.toml does not name the store";
  if (error.tag == SPIN_KEY_VALUE_ERROR_OTHER) {
    text = view_of(error.val.other);
  }
  context.log.warn(event, text);
  return std::unexpected(Failure::unavailable);
}

// Suspends until the host has returned.
Task<void> finish(Context& context, Patience& patience, Subtask& call, std::string_view event) {
  // SQLite is read within the call, and Redis within the wait.
  Events::current().note_blocking_call();
  while (!call.returned()) {
    const auto state = co_await Wait(call.waitable(), patience.timer());
    if (!state) co_return co_await patience.over(context, event);
    call.take(*state);
  }
}

// The same, and ends with a failure where that is what the host says.
template <class Call>
Task<void> finish(Context& context, Patience& patience, Call& call, std::string_view event) {
  co_await finish(context, patience, call.subtask(), event);
  if (call.result().is_err) co_await failed(context, event, call.result().val.err);
}

}  // namespace

Task<spin_key_value_borrow_store_t> SpinStore::store(Context& context) {
  if (!store_) {
    Patience patience(context);
    OpenCall call(label_, "");
    call.subtask().began(spin_key_value_static_store_open(call.key(), &call.result()));
    co_await finish(context, patience, call, "store: the host's store cannot be opened");
    // The host's now is the call's no more. Another request may have been faster; then its store is kept.
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
  for (std::size_t begin = 0; begin < keys.size(); begin += calls_at_once) {
    Patience patience(context);
    const auto some = keys.subspan(begin, std::min(calls_at_once, keys.size() - begin));
    std::vector<std::unique_ptr<ReadCall>> calls;
    for (const std::string_view key : some) {
      ReadCall& call = *calls.emplace_back(std::make_unique<ReadCall>(key, ""));
      call.subtask().began(spin_key_value_method_store_get(host, call.key(), &call.result()));
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
      co_await finish(context, patience, *calls[i], event);
      spin_option_list_u8_t& found = calls[i]->result().val.ok;
      values[begin + i] = found.is_some ? Value(moved(found.val, buffers)) : std::nullopt;
    }
  }
}

Task<void> SpinStore::apply(Context& context, std::span<const Change> changes) {
  constexpr std::string_view event = "store: a write failed";
  // Calls at the same time have no order, so of the changes of one key only the last is made.
  std::vector<Change> last;
  for (const Change& change : changes) {
    std::erase_if(last, [&change](const Change& earlier) { return earlier.key == change.key; });
    last.push_back(change);
  }
  const auto host = co_await store(context);
  for (std::size_t begin = 0; begin < last.size(); begin += calls_at_once) {
    Patience patience(context);
    const auto some = std::span(last).subspan(begin, std::min(calls_at_once, last.size() - begin));
    std::vector<WriteCall> calls;
    for (const Change& change : some) {
      WriteCall& call = calls.emplace_back(change.key, change.value.value_or(""));
      if (change.value) {
        spin_key_value_method_store_set_args_t arguments{.self = host, .key = call->key(), .value = call->value()};
        call->subtask().began(spin_key_value_method_store_set(&arguments, &call->result()));
      } else {
        call->subtask().began(spin_key_value_method_store_delete(host, call->key(), &call->result()));
      }
    }
    for (WriteCall& call : calls) co_await finish(context, patience, *call, event);
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

Task<std::vector<std::string>> SpinStore::keys(Context& context) {
  constexpr std::string_view event = "store: a scan failed";
  const auto host = co_await store(context);
  Patience patience(context);
  spin_key_value_tuple2_stream_string_future_result_void_error_t ends{};
  Subtask call;
  call.began(spin_key_value_method_store_get_keys(host, &ends));
  co_await finish(context, patience, call, event);
  ListedKeys listed(ends);
  while (!listed.ended()) {
    listed.read_names();
    if (!listed.blocked()) continue;
    const auto code = co_await Wait(listed.names(), patience.timer());
    if (!code) co_return patience.over(context, event);
    listed.names_read(*code);
  }
  listed.read_outcome();
  if (listed.blocked()) {
    const auto code = co_await Wait(listed.outcome(), patience.timer());
    if (!code) co_return patience.over(context, event);
    listed.outcome_read();
  }
  if (const auto* error = listed.error()) co_return failed(context, event, *error);
  co_return listed.take();
}

}  // namespace portail::edge
