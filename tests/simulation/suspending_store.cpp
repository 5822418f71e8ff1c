#include "tests/simulation/suspending_store.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/step_clock.hpp"
#include "tests/support/test_context.hpp"

namespace portail::simulation {
namespace {

// The target never suspends, and fails only by the simulation.
template <class T>
T completed(Task<T> task) {
  Result<T> result = run_ready(std::move(task));
  if (!result) std::abort();
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

using Text = std::optional<std::string>;

Text copied(Value value) { return value ? Text(std::string(*value)) : std::nullopt; }
Value viewed(const Text& text) { return text ? Value(*text) : std::nullopt; }

// The bytes of one value in an allocation of their own: a sanitizer detects every read beyond them.
class Block {
 public:
  explicit Block(std::string_view bytes) : bytes_(bytes.begin(), bytes.end()) {}
  [[nodiscard]] std::string_view view() const { return {bytes_.data(), bytes_.size()}; }

 private:
  std::vector<char> bytes_;
};

struct Open final : Operation {
  Open(std::optional<Fault> fault, KeyValueStore& store) : Operation(fault), target(store) {}
  bool act() override {
    TestContext test;
    snapshot = completed(target.open(test.context));
    return true;
  }
  KeyValueStore& target;
  std::shared_ptr<Session> snapshot;
};

struct Read final : Operation {
  Read(std::optional<Fault> fault, KeyValueStore& store, std::shared_ptr<Session> read_snapshot,
       std::span<const std::string_view> requested)
      : Operation(fault), target(store), snapshot(std::move(read_snapshot)), keys(requested.begin(), requested.end()) {}
  bool act() override {
    TestContext test;
    // Without a snapshot each key is read in a step of its own.
    const std::size_t end = snapshot ? keys.size() : std::min(values.size() + 1, keys.size());
    const std::shared_ptr<Session> session = snapshot ? snapshot : completed(target.open(test.context));
    while (values.size() < end) {
      const std::string_view key = keys[values.size()];
      Value value;
      completed(session->get(test.context, std::span(&key, 1), std::span(&value, 1)));
      values.push_back(copied(value));
    }
    return values.size() == keys.size();
  }
  KeyValueStore& target;
  std::shared_ptr<Session> snapshot;
  std::vector<std::string> keys;
  std::vector<Text> values;
};

struct Write final : Operation {
  Write(std::optional<Fault> fault, KeyValueStore& store, std::span<const Change> requested, bool is_atomic)
      : Operation(fault), target(store), atomic(is_atomic) {
    for (const Change& change : requested) changes.push_back({std::string(change.key), copied(change.value)});
  }
  [[nodiscard]] bool is_write() const override { return true; }
  bool act() override {
    if (done == changes.size()) return true;  // the answer, after the effect
    TestContext test;
    std::vector<Change> now;
    const std::size_t end = atomic ? changes.size() : done + 1;
    for (; done < end; ++done) now.push_back({changes[done].key, viewed(changes[done].value)});
    completed(target.write(test.context, now));
    return false;
  }
  struct Owned {
    std::string key;
    Text value;
  };
  KeyValueStore& target;
  std::vector<Owned> changes;
  bool atomic;
  std::size_t done = 0;
};

struct Swap final : Operation {
  Swap(std::optional<Fault> fault, KeyValueStore& store, std::string_view wanted_key, Value old, std::string_view next,
       bool is_atomic)
      : Operation(fault), target(store), key(wanted_key), expected(copied(old)), desired(next), atomic(is_atomic) {}
  [[nodiscard]] bool is_write() const override { return true; }
  bool act() override {
    TestContext test;
    switch (phase++) {
      case 0:
        if (atomic) {
          swapped = completed(target.compare_and_swap(test.context, key, viewed(expected), desired));
        } else {
          const auto session = completed(target.open(test.context));
          const std::string_view requested = key;
          Value value;
          completed(session->get(test.context, std::span(&requested, 1), std::span(&value, 1)));
          swapped = value == viewed(expected);
        }
        return false;
      case 1:
        if (!atomic && swapped) {
          const Change change{key, desired};
          completed(target.write(test.context, std::span(&change, 1)));
        }
        return false;
      default:
        return true;
    }
  }
  KeyValueStore& target;
  std::string key;
  Text expected;
  std::string desired;
  bool atomic;
  int phase = 0;
  bool swapped = false;
};

struct Scan final : Operation {
  Scan(std::optional<Fault> fault, KeyValueStore& store, std::string_view requested)
      : Operation(fault), target(store), prefix(requested) {}
  bool act() override {
    struct Collector final : Visitor {
      std::vector<std::pair<std::string, std::string>> found;
      bool visit(std::string_view key, std::string_view value) override {
        found.emplace_back(key, value);
        return true;
      }
    } collector;
    TestContext test;
    completed(target.scan(test.context, prefix, collector));
    found = std::move(collector.found);
    return true;
  }
  KeyValueStore& target;
  std::string prefix;
  std::vector<std::pair<std::string, std::string>> found;
};

class SuspendingSession final : public Session {
 public:
  SuspendingSession(const Context& context, Scheduler& scheduler, KeyValueStore& target,
                    std::shared_ptr<Session> snapshot, std::optional<StoreRevision> revision)
      : owner_(&context), scheduler_(scheduler), target_(target), snapshot_(std::move(snapshot)), revision_(revision) {
    ++scheduler_.open_sessions;
    scheduler_.count_session(owner_, 1);
  }
  ~SuspendingSession() override {
    --scheduler_.open_sessions;
    release();
  }
  void release() override {
    if (owner_) scheduler_.count_session(std::exchange(owner_, nullptr), -1);
  }

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    const auto read = std::make_shared<Read>(scheduler_.next_access(context), target_, snapshot_, keys);
    scheduler_.add(read);
    co_await OperationCompletion(*read);
    co_await read->result;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::nullopt;
      if (read->values[i]) values[i] = blocks_.emplace_back(*read->values[i]).view();
    }
  }
  [[nodiscard]] std::optional<StoreRevision> revision() const override { return revision_; }

 private:
  const Context* owner_;  // compared only
  Scheduler& scheduler_;
  KeyValueStore& target_;
  std::shared_ptr<Session> snapshot_;  // null: every read sees the current state
  const std::optional<StoreRevision> revision_;
  std::vector<Block> blocks_;
};

struct Arrival final : Operation {
  explicit Arrival(int delay) : Operation(std::nullopt), steps_left(delay) {}
  bool act() override { return steps_left-- <= 0; }
  int steps_left;
};

}  // namespace

Task<std::unique_ptr<Session>> SuspendingStore::open(Context& context) {
  if (scheduler_.holds_session(context)) ++nested_sessions;
  const auto opened = std::make_shared<Open>(scheduler_.next_access(context), target());
  scheduler_.add(opened);
  co_await OperationCompletion(*opened);
  co_await opened->result;
  co_return std::make_unique<SuspendingSession>(context, scheduler_, target(),
                                                traits_.snapshots ? opened->snapshot : nullptr,
                                                has_revision_ ? opened->snapshot->revision() : std::nullopt);
}

Task<void> SuspendingStore::write(Context& context, std::span<const Change> changes) {
  const auto written =
      std::make_shared<Write>(scheduler_.next_access(context), target(), changes, traits_.atomic_batches);
  scheduler_.add(written);
  co_await OperationCompletion(*written);
  co_await written->result;
}

Task<bool> SuspendingStore::compare_and_swap(Context& context, std::string_view key, Value expected,
                                             std::string_view desired) {
  const auto swap = std::make_shared<Swap>(scheduler_.next_access(context), target(), key, expected, desired,
                                           traits_.compare_and_swap);
  scheduler_.add(swap);
  co_await OperationCompletion(*swap);
  co_await swap->result;
  co_return swap->swapped;
}

Task<void> SuspendingStore::scan(Context& context, std::string_view prefix, Visitor& visitor) {
  const auto scan = std::make_shared<Scan>(scheduler_.next_access(context), target(), prefix);
  scheduler_.add(scan);
  co_await OperationCompletion(*scan);
  co_await scan->result;
  for (const auto& [key, value] : scan->found) {
    const Block block(value);
    if (!visitor.visit(key, block.view())) co_return;
  }
}

Task<std::optional<std::string_view>> SuspendingBody::next(Context& context) {
  held_a_session_ = held_a_session_ || scheduler_.holds_session(context);
  ++waits_;
  const auto arrival = std::make_shared<Arrival>(plan_.delay);
  scheduler_.add(arrival);
  co_await OperationCompletion(*arrival);
  if (position_ == text_.size()) {
    if (plan_.is_cut) {
      was_cut_ = true;
      co_await std::unexpected(Failure::body_incomplete);
    }
    arrived_ = step_of(context.clock.now());
    co_return std::nullopt;
  }
  const std::string_view part = std::string_view(text_).substr(position_, plan_.part_size);
  position_ += part.size();
  co_return part;
}

}  // namespace portail::simulation
