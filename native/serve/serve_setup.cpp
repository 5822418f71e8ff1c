#include "native/serve/serve_setup.hpp"

#include <thread>
#include <utility>

#include <unistd.h>

#include "native/commands/version.hpp"
#include "native/http/certificate.hpp"
#include "native/keys/refreshing_keys.hpp"
#include "native/server/admission.hpp"
#include "native/settings/key_settings.hpp"
#include "native/settings/page_settings.hpp"
#include "native/system/small_file.hpp"
#include "native/system/system.hpp"

namespace portail {

ServedKeys::ServedKeys(ServeSetup& setup, JsonLog& log) : log_(log), location_(setup.plan.keys.location) {
  if (location_ == KeySetLocation::text) {
    text_ = std::move(setup.keys);
    fixed_.emplace(text_->keys);
  } else {
    refreshing_.emplace(std::move(setup.key_document), setup.plan.keys.times, log);
  }
}

void ServedKeys::start() {
  if (text_) keys::log_key_set(log_, "text", *text_);
  if (!refreshing_) return;
  if (location_ == KeySetLocation::file) refreshing_->refresh();
  refreshing_->start();
}

void ServedKeys::refresh_soon() {
  if (refreshing_) refreshing_->request_refresh();
}

KeySource& ServedKeys::source() {
  if (refreshing_) return *refreshing_;
  return *fixed_;
}

keys::Status ServedKeys::status() {
  if (refreshing_) return refreshing_->status();
  keys::Status status;
  status.keys = text_->keys.size();
  return status;
}

std::expected<ServePlan, Fault> load_serve_plan(const SettingValues& values) {
  auto plan = make_serve_plan(values);
  if (!plan) return std::unexpected(plan.error());
  if (const std::string& file = values.text("identity-ca"); !file.empty()) {
    const auto authorities = read_small_file(file, values.where("identity-ca"));
    if (!authorities) return failure(authorities.error());
  }
  return plan;
}

std::size_t worker_count(const SettingValues& values) {
  if (!values.text("workers").empty()) return static_cast<std::size_t>(values.number("workers"));
  return server::default_workers(std::thread::hardware_concurrency());
}

std::expected<LoadedKeySet, Fault> read_keys(keys::Document& document) {
  const auto text = document.read({});
  if (!text) return failure(text.error());
  auto loaded = load_key_set(*text);
  if (!loaded) return failure(document.name() + " cannot be used: " + loaded.error());
  return std::move(*loaded);
}

namespace {

std::expected<TlsFile, Fault> tls_file(const SettingValues& values, SettingName setting) {
  if (may_be_content(values.text(setting))) {
    return failure("cannot read the file that " + values.where(setting) +
                   " names; give it a PEM file that this user may read");
  }
  return TlsFile{.name = values.text(setting), .setting = values.where(setting)};
}

std::expected<std::shared_ptr<const TlsContext>, Fault> load_tls(const SettingValues& values,
                                                                 const std::optional<TlsFile>& client_authorities) {
  const auto certificate = tls_file(values, "tls-cert");
  if (!certificate) return std::unexpected(certificate.error());
  const auto key = tls_file(values, "tls-key");
  if (!key) return std::unexpected(key.error());
  auto loaded = TlsContext::load(*certificate, *key, client_authorities);
  if (!loaded) return failure(loaded.error());
  if (const auto valid = check_validity_now(values, loaded->chain().front()); !valid) return failure(valid.error());
  return std::make_shared<const TlsContext>(std::move(*loaded));
}

}  // namespace

std::expected<std::shared_ptr<const TlsContext>, Fault> load_tls(const SettingValues& values) {
  if (values.text("tls-cert").empty()) return nullptr;
  return load_tls(values, std::nullopt);
}

std::expected<std::shared_ptr<const TlsContext>, Fault> load_management_tls(const SettingValues& values,
                                                                            std::shared_ptr<const TlsContext> tls) {
  if (values.text("manage-client-ca").empty()) return tls;
  const auto authorities = tls_file(values, "manage-client-ca");
  if (!authorities) return std::unexpected(authorities.error());
  return load_tls(values, *authorities);
}

std::expected<void, std::string> check_validity_now(const SettingValues& values, const ChainCertificate& certificate) {
  return check_validity({.name = certificate.name, .setting = values.where("tls-cert")}, certificate.validity,
                        SystemClock().now());
}

std::optional<std::string> certificate_warning(const SettingValues& values, const TlsContext* tls) {
  if (!tls) return std::nullopt;
  const Instant now = SystemClock().now();
  for (const ChainCertificate& each : tls->chain()) {
    const auto valid = each.is_needed ? check_validity_now(values, each) : std::expected<void, std::string>();
    if (!valid) return valid.error() + ", or remove it from the file if clients do not need it";
  }
  const ChainCertificate& first = first_to_expire(tls->chain());
  if (const auto day = expiry_if_soon(first.validity, now)) {
    return "the TLS certificate " + first.name + " expires on " + *day;
  }
  for (const ChainCertificate& each : tls->chain()) {
    if (each.is_needed || each.validity.end.seconds() >= now.seconds()) continue;
    return "the TLS certificate " + each.name + " expired on " + day_text(each.validity.end) +
           ", and no client needs it; remove it from the file";
  }
  return std::nullopt;
}

std::expected<std::unique_ptr<SpanExport>, Fault> open_spans(const SettingValues& values, const ServePlan& plan,
                                                             Log& log) {
  if (plan.spans_url.empty()) return nullptr;
  auto spans = SpanExport::open(plan.spans_url, build_info().version, log);
  if (!spans) {
    return failure(values.where("otlp") +
                   " needs portail-otlp.so, of the Debian package portail-otlp: " + spans.error());
  }
  return std::move(*spans);
}

std::expected<ServeSetup, Fault> set_up(const SettingValues& values, StoreAccess access) {
  auto plan = load_serve_plan(values);
  if (!plan) return std::unexpected(plan.error());
  auto document = make_key_document(values, plan->keys);
  std::optional<LoadedKeySet> keys;
  if (plan->keys.location != KeySetLocation::network) {
    auto read = read_keys(*document);
    if (!read) return std::unexpected(read.error());
    keys = std::move(*read);
  }
  auto tls = load_tls(values);
  if (!tls) return std::unexpected(tls.error());
  auto management_tls = load_management_tls(values, *tls);
  if (!management_tls) return std::unexpected(management_tls.error());
  auto personas = read_personas(values);
  if (!personas) return std::unexpected(personas.error());
  plan->page.personas = std::move(*personas);
  auto portal = open_portal(values, access);
  if (!portal) return std::unexpected(portal.error());
  return ServeSetup{.plan = std::move(*plan),
                    .key_document = std::move(document),
                    .keys = std::move(keys),
                    .tls = std::move(*tls),
                    .management_tls = std::move(*management_tls),
                    .portal = std::move(*portal)};
}

}  // namespace portail
