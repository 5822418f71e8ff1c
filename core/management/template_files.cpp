#include "core/management/template_files.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/base/hexadecimal.hpp"
#include "core/crypto/hash.hpp"
#include "core/exchange/import.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/http/media_type.hpp"
#include "core/http/read_body.hpp"
#include "core/json/writer.hpp"
#include "core/management/answers.hpp"
#include "core/management/change_audit.hpp"
#include "core/management/template_deposit.hpp"
#include "core/portal/mail_object_id.hpp"
#include "core/portal/template_file.hpp"

namespace portail {
namespace {

constexpr std::size_t max_template_size = ImportOptions{}.max_template_size;

Response no_such_id(std::string_view id) {
  return management_problem(404, "\"" + std::string(id) + "\" is not the id of a mail object: an integer from 0 on");
}

}  // namespace

Task<Response> get_template(Context& context, const ManagementCall& call) {
  const auto id = parse_mail_object_id(call.id);
  if (!id) co_return no_such_id(call.id);
  const StoredMailObjects stored = co_await read_mail_objects(context, call.store);
  const auto found = stored.objects.find(*id);
  if (found == stored.objects.end() && !stored.missing.empty()) co_await std::unexpected(Failure::corrupt);
  if (found == stored.objects.end() || !found->second.template_file) {
    co_return management_problem(404, "the mail object " + std::to_string(*id) + " has no template file");
  }
  const auto& file = *found->second.template_file;
  Response response = streamed_answer(
      file.media_type,
      std::make_unique<TemplateFileSource>(co_await call.store.open(context), *id, file.size, file.hash));
  response.streamed_length = file.size;
  co_return response;
}

Task<Response> put_template(Context& context, const ManagementCall& call) {
  const auto id = parse_mail_object_id(call.id);
  if (!id) co_return no_such_id(call.id);
  if (is_content_coded(call.request)) co_return management_problem(415, "Content-Encoding must be absent");
  const auto bytes = co_await read_body(context, call.request, max_template_size);
  if (!bytes) {
    co_return management_problem(413,
                                 "the template file is larger than " + std::to_string(max_template_size) + " bytes");
  }
  if (bytes->empty()) co_return management_problem(422, "the template file is empty");
  std::string summary;
  JsonWriter json(summary);
  json.begin_object().name("objetCourrier").integer(static_cast<std::int64_t>(*id));
  json.name("size").integer(static_cast<std::int64_t>(bytes->size()));
  json.name("hash").string(lower_hex(blake2b(*bytes))).end_object();
  co_await record_change(context, call.store, AuditAction::template_file, call.author, "file", summary);
  co_await deposit_template(context, call.store, *id, *bytes);
  co_return json_answer(std::move(summary));
}

}  // namespace portail
