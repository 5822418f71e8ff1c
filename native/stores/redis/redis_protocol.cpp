#include "native/stores/redis/redis_protocol.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portail::redis {
namespace {

struct KnownError {
  std::string_view prefix;
  std::string_view meaning;
};

constexpr std::array known_errors = {
    KnownError{"LOADING", "it is still loading its data"},
    KnownError{"MASTERDOWN", "it is a replica that has lost its primary"},
    KnownError{"READONLY", "it is a replica: only the primary takes writes"},
    KnownError{"NOREPLICAS", "it has too few replicas to take writes"},
    KnownError{"OOM", "it has no memory left"},
    KnownError{"MISCONF", "it cannot save its data, and refuses writes until it can"},
    KnownError{"BUSY", "it is busy with a script"},
    KnownError{"NOAUTH", "it requires a user and a password"},
    KnownError{"WRONGPASS", "it rejects this user and password"},
    KnownError{"NOPERM", "its user lacks the permission"},
    KnownError{"MOVED", "it is part of a cluster, which spreads the keys: use one server that has them all"},
    KnownError{"CROSSSLOT", "it is part of a cluster, which spreads the keys: use one server that has them all"},
    KnownError{"CLUSTERDOWN", "it is part of a cluster, which spreads the keys: use one server that has them all"},
    KnownError{"WRONGTYPE", "a key of the portal is not a string"},
    KnownError{"ERR unknown command 'SENTINEL'", "it is not a sentinel"},
    KnownError{"ERR max number of clients", "it accepts no more connections"},
    KnownError{"ERR DB index", "it has no database of that number"},
    KnownError{"ERR AUTH", "it expects no password"},
    KnownError{"EXECABORT", "it refused the transaction"},
};

bool is_code_character(char c) { return c >= 'A' && c <= 'Z'; }

// An error can repeat parts of the request, so only its code, a word in capitals, is reported.
Fault error_fault(std::string_view error) {
  const auto end = std::ranges::find_if_not(error, is_code_character);
  std::string code(error.begin(), end);
  if (code.empty() || code.size() > 20) code = "error";
  const auto* found =
      std::ranges::find_if(known_errors, [error](const KnownError& each) { return error.starts_with(each.prefix); });
  const std::string_view meaning = found == known_errors.end() ? "it refused a command" : found->meaning;
  return {.failure = code == "WRONGTYPE" ? Failure::corrupt : Failure::unavailable,
          .message = std::string(meaning) + " (" + code + ")",
          .is_replica = code == "READONLY",
          .requires_password = code == "NOAUTH"};
}

}  // namespace

void Request::add(std::span<const std::string_view> command, ReplyLimit limit) {
  std::vector<const char*> starts;
  std::vector<std::size_t> sizes;
  for (const std::string_view argument : command) {
    starts.push_back(argument.data());
    sizes.push_back(argument.size());
  }
  char* formatted = nullptr;
  const long long size =
      redisFormatCommandArgv(&formatted, static_cast<int>(command.size()), starts.data(), sizes.data());
  if (size < 0) throw std::bad_alloc();
  bytes_.append(formatted, static_cast<std::size_t>(size));
  redisFreeCommand(formatted);
  limits_.push_back(limit);
}

std::span<redisReply* const> elements_of(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_ARRAY) return {};
  return {reply.element, reply.elements};
}

std::optional<std::string_view> text_of(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_STRING && reply.type != REDIS_REPLY_STATUS) return std::nullopt;
  return std::string_view(reply.str, reply.len);
}

std::optional<Fault> fault_in(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_ERROR) return error_fault({reply.str, reply.len});
  for (const redisReply* element : elements_of(reply)) {
    if (auto fault = fault_in(*element)) return fault;
  }
  return std::nullopt;
}

std::optional<Fault> first_fault(std::span<const Reply> replies) {
  for (const Reply& reply : replies) {
    if (auto fault = fault_in(*reply)) return fault;
  }
  return std::nullopt;
}

Fault unexpected_reply() { return {.message = "its reply violates the Redis protocol"}; }

Fault excessive_reply() { return {.message = "its reply is larger than any to this command"}; }

ReplyReader::ReplyReader() {
  if (!reader_) throw std::bad_alloc();
  context_->unbounded = reader_->fn;
  context_->bounded = {
      .createString = create_string,
      .createArray = create_array,
      .createInteger = reader_->fn->createInteger,
      .createDouble = [](const redisReadTask*, double, char*, std::size_t) -> void* { return nullptr; },
      .createNil = create_nil,
      .createBool = [](const redisReadTask*, int) -> void* { return nullptr; },
      .freeObject = reader_->fn->freeObject,
  };
  reader_->fn = &context_->bounded;
  reader_->privdata = context_.get();
}

// If a function returns null, hiredis frees the incomplete reply, and fails from then on.
void* ReplyReader::create_string(const redisReadTask* task, char* text, std::size_t size) {
  auto& context = *static_cast<BuildContext*>(task->privdata);
  const bool is_line = task->type == REDIS_REPLY_STATUS || task->type == REDIS_REPLY_ERROR;
  if (is_line) context.exceeds_a_limit |= size > max_line;
  if (context.exceeds_a_limit || (!is_line && task->type != REDIS_REPLY_STRING)) return nullptr;
  return context.unbounded->createString(task, text, size);
}

void* ReplyReader::create_array(const redisReadTask* task, std::size_t count) {
  auto& context = *static_cast<BuildContext*>(task->privdata);
  if (task->type != REDIS_REPLY_ARRAY) return nullptr;
  std::size_t depth = 1;
  for (const redisReadTask* parent = task->parent; parent; parent = parent->parent) ++depth;
  std::size_t& left = context.limits.front().max_elements;
  context.exceeds_a_limit |= depth > max_depth || count > left;
  if (context.exceeds_a_limit) return nullptr;
  left -= count;
  return context.unbounded->createArray(task, count);
}

void* ReplyReader::create_nil(const redisReadTask* task) {
  if (task->type == REDIS_REPLY_NIL) return nullptr;  // of RESP3
  return static_cast<BuildContext*>(task->privdata)->unbounded->createNil(task);
}

void ReplyReader::expect(std::span<const ReplyLimit> limits) {
  context_->limits.insert(context_->limits.end(), limits.begin(), limits.end());
}

void ReplyReader::feed(std::span<const char> bytes) {
  // The reader stores a failure; next() reports it.
  redisReaderFeed(reader_.get(), bytes.data(), bytes.size());
}

std::expected<Reply, Fault> ReplyReader::next() {
  const auto unread = [this] { return reader_->len - reader_->pos; };
  if (context_->limits.empty()) {
    if (unread() > 0) return std::unexpected(unexpected_reply());
    return Reply();
  }
  const std::size_t before = unread();
  void* read = nullptr;
  if (redisReaderGetReply(reader_.get(), &read) != REDIS_OK) return refused();
  Reply reply(static_cast<redisReply*>(read));
  parsed_ += before - unread();
  const std::size_t size = parsed_ + (reply ? 0 : unread());
  context_->exceeds_a_limit |= size > context_->limits.front().max_bytes || (!reply && has_endless_line());
  if (context_->exceeds_a_limit) return refused();
  if (!reply) return reply;
  parsed_ = 0;
  context_->limits.pop_front();
  return reply;
}

// Returns whether the line of the incomplete element, or the length line of a string, is too long already.
bool ReplyReader::has_endless_line() const {
  constexpr std::size_t max_length_line = 32;
  if (reader_->ridx < 0) return false;
  const std::string_view unread(reader_->buf + reader_->pos, reader_->len - reader_->pos);
  if (reader_->task[reader_->ridx]->type != REDIS_REPLY_STRING) return unread.size() > max_line + 1;
  return unread.size() > max_length_line && !unread.substr(0, max_length_line).contains('\n');
}

std::unexpected<Fault> ReplyReader::refused() {
  return std::unexpected(context_->exceeds_a_limit ? excessive_reply() : unexpected_reply());
}

}  // namespace portail::redis
