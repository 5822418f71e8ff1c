#include "core/portal/template_file.hpp"

#include <algorithm>

#include "core/base/text.hpp"
#include "core/portal/batch.hpp"
#include "core/storage/key.hpp"

namespace portail {
namespace {

constexpr std::int64_t part_timeout_microseconds = 30'000'000;

}  // namespace

Task<std::optional<std::string>> read_template_file(Context& context, Session& session, std::uint64_t mail_object,
                                                    std::uint64_t size, std::string_view hash) {
  Batch batch;
  const std::uint32_t parts = count_template_parts(size);
  for (std::uint32_t part = 0; part < parts; ++part) batch.add(template_key(mail_object, part));
  co_await batch.fetch(context, session);
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(size));
  for (std::uint32_t part = 0; part < parts; ++part) bytes += batch[part].value_or("");
  if (lower_hex(blake2b(bytes)) != hash) co_return std::nullopt;
  co_return bytes;
}

Task<std::optional<std::string_view>> TemplateFileSource::next(Context& context) {
  const std::uint32_t parts = count_template_parts(size_);
  if (next_part_ == parts) co_return std::nullopt;
  // A slow client may read the parts over a long time: each part has the deadline of a new request.
  context.deadline.microseconds =
      std::max(context.deadline.microseconds, context.clock.now().microseconds + part_timeout_microseconds);
  const std::string key = template_key(mail_object_, next_part_++);
  const std::string_view name = key;
  Value part;
  co_await session_->get(context, std::span(&name, 1), std::span(&part, 1));
  if (!part || part->empty()) co_return std::unexpected(Failure::unavailable);
  hash_state_.update(*part);
  if (next_part_ == parts && lower_hex(hash_state_.finish()) != hash_) co_return std::unexpected(Failure::unavailable);
  co_return *part;
}

}  // namespace portail
