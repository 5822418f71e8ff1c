#include "native/audit/audit_verify.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/audit/verification.hpp"
#include "core/auth/token.hpp"
#include "core/auth/token_signer.hpp"
#include "core/base/task.hpp"
#include "core/base/text.hpp"
#include "core/base/time.hpp"
#include "core/json/writer.hpp"
#include "native/system/small_file.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

// The clocks of the machines that prune and verify may differ by as much.
constexpr std::int64_t retention_tolerance = 1;  // days

std::expected<AuditVerification, Fault> verify(const SettingValues& values, std::span<const Checkpoint> checkpoints) {
  const auto portal = open_portal(values, StoreAccess::read);
  if (!portal) return std::unexpected(portal.error());
  CommandContext command;
  const std::int64_t days = values.number("audit-retention") - retention_tolerance;
  auto result = run_ready(
      verify_audit(command.context, *portal->store,
                   {.checkpoints = checkpoints, .max_pruned_before = days_before(command.clock.now(), days)}));
  if (!result) {
    return failure("the audit cannot be read: " + command.last_warning.text_or(describe(result.error())));
  }
  return std::move(*result);
}

struct VerifyArguments {
  std::string checkpoints;
  std::string keys;
  bool json = false;
};

// Of 800 bytes each: those of 9 years, if one is created every hour.
constexpr std::size_t max_checkpoints_mebibytes = 64;

// Reads the checkpoints of a file, one a line.
std::expected<std::vector<Checkpoint>, Fault> read_checkpoints(const VerifyArguments& arguments) {
  if (arguments.checkpoints.empty() && arguments.keys.empty()) return {};
  if (arguments.checkpoints.empty()) return wrong_usage("--keys: --checkpoints is missing, the file that they verify");
  if (arguments.keys.empty()) return wrong_usage("--checkpoints: --keys is missing, the public keys of their signer");
  const auto keys_text = read_small_file(arguments.keys, "--keys");
  if (!keys_text) return failure(keys_text.error());
  const auto keys = load_key_set(*keys_text);
  if (!keys) return failure("the keys " + arguments.keys + " cannot be used: " + keys.error());
  if (keys->keys.empty()) return failure("the keys " + arguments.keys + " cannot be used: no key of the set is usable");
  const auto text = read_small_file(arguments.checkpoints, "--checkpoints", max_checkpoints_mebibytes);
  if (!text) return failure(text.error());

  std::vector<Checkpoint> checkpoints;
  std::size_t line = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::string_view signed_text = trimmed(take_until(rest, '\n'), " \t\r");
    ++line;
    if (signed_text.empty()) continue;
    const std::string where = arguments.checkpoints + ':' + std::to_string(line) + ": ";
    const auto payload = verify_jws(signed_text, keys->keys);
    if (!payload)
      return failure(where + "no key of " + arguments.keys +
                     " verifies this checkpoint: it was changed, or another key signed it");
    const auto checkpoint = parse_checkpoint(*payload);
    if (!checkpoint) return failure(where + "what is signed is not a checkpoint");
    checkpoints.push_back(*checkpoint);
  }
  if (checkpoints.empty()) return failure(arguments.checkpoints + " has no checkpoint");
  return checkpoints;
}

std::string describe(const VerifiedChain& chain) {
  std::string text = counted(chain.records, "record", "records");
  if (chain.first) text += ", verified from " + utc_text({chain.first->time});
  if (chain.unverified > 0) {
    text += ", " + std::to_string(chain.unverified) + " of an earlier version without hashes";
  }
  return text;
}

void print_result(const AuditVerification& result, std::size_t checkpoints) {
  for (const AuditChain chain : audit_chains) {
    print_row(name_of(chain), describe(result.chains[index_of(chain)]));
  }
  if (result.unconnected > 0) print_row("in no chain", counted(result.unconnected, "record", "records"));
  for (const std::string& key : result.unconnected_keys) {
    print_row("interrupted", key + ": its write was interrupted, or lost a race; it is not shown");
  }
  if (result.erased_records > 0) {
    print_row("erased", counted(result.erased_records, "record has", "records have") + " erased strings");
  }
  for (const std::string& key : result.unconfirmed_imports) {
    print_row("unconfirmed", key + ": this import was interrupted at its end, so no hash covers its outcome");
  }
  if (result.state.pruned_before) print_row("pruned", "records before " + utc_text(*result.state.pruned_before));
  if (checkpoints > 0) {
    std::string text = std::to_string(result.matching_checkpoints) + " of " + std::to_string(checkpoints) + " match";
    if (result.pruned_checkpoints > 0) {
      text += ", " + std::to_string(result.pruned_checkpoints) + " have only pruned records";
    }
    print_row("checkpoints", text);
  }
  for (const std::string& fault : result.faults) print_row("fault", fault);
  print_row("audit", result.fault_count == 0 ? "verified" : counted(result.fault_count, "fault", "faults"));
}

void print_result_as_json(const AuditVerification& result, std::size_t checkpoints) {
  std::string text;
  JsonWriter json(text);
  const auto count = [&json](std::string_view name, std::uint64_t number) {
    json.name(name).integer(static_cast<std::int64_t>(number));
  };
  json.begin_object().name("verified").boolean(result.fault_count == 0).name("chains").begin_object();
  for (const AuditChain chain : audit_chains) {
    const VerifiedChain& verified = result.chains[index_of(chain)];
    json.name(name_of(chain)).begin_object();
    count("records", verified.records);
    count("withoutHash", verified.unverified);
    json.name("verifiedFrom");
    verified.first ? json.string(utc_text({verified.first->time})) : json.null();
    json.end_object();
  }
  json.end_object();
  count("inNoChain", result.unconnected);
  json.name("interruptedWrites").begin_array();
  for (const std::string& key : result.unconnected_keys) json.string(key);
  json.end_array();
  count("erasedRecords", result.erased_records);
  json.name("unconfirmedImports").begin_array();
  for (const std::string& key : result.unconfirmed_imports) json.string(key);
  json.end_array().name("prunedBefore");
  result.state.pruned_before ? json.string(utc_text(*result.state.pruned_before)) : json.null();
  json.name("checkpoints").begin_object();
  count("given", checkpoints);
  count("matching", result.matching_checkpoints);
  count("pruned", result.pruned_checkpoints);
  json.end_object();
  count("faultCount", result.fault_count);
  json.name("faults").begin_array();
  for (const std::string& fault : result.faults) json.string(fault);
  json.end_array().end_object();
  print_json_line(text);
}

std::expected<void, Fault> run_verify(const VerifyArguments& arguments, const SettingValues& values) {
  const auto checkpoints = read_checkpoints(arguments);
  if (!checkpoints) return std::unexpected(checkpoints.error());
  const auto result = verify(values, *checkpoints);
  if (!result) return std::unexpected(result.error());
  arguments.json ? print_result_as_json(*result, checkpoints->size()) : print_result(*result, checkpoints->size());
  if (result->fault_count > 0) return failure("the audit has " + counted(result->fault_count, "fault", "faults"));
  return {};
}

struct CheckpointArguments {
  std::string keys;
  std::string kid;
};

std::expected<void, Fault> print_checkpoint(const CheckpointArguments& arguments, const SettingValues& values) {
  const auto text = read_small_file(arguments.keys, "--keys");
  if (!text) return failure(text.error());
  const auto key = load_signing_key(*text, arguments.kid);
  if (!key) return failure("cannot sign with " + arguments.keys + ": " + key.error());
  if (key->algorithm->name != "EdDSA") {
    return failure("cannot sign with " + arguments.keys +
                   ": the key must be of EdDSA; create one with portail keys make");
  }
  const auto result = verify(values, {});
  if (!result) return std::unexpected(result.error());
  if (result->fault_count > 0) {
    return failure("no checkpoint: the audit has " + counted(result->fault_count, "fault", "faults") +
                   "; portail audit verify lists them");
  }
  print_line(stdout, sign_text(*key, checkpoint_text(result->state)));
  return {};
}

}  // namespace

Command audit_verify_command() {
  auto arguments = std::make_shared<VerifyArguments>();
  return {.name = "verify",
          .help = "Verify that no audit record was changed, removed or reordered",
          .settings = {"store", "audit-retention"},
          .options = {{.name = "--checkpoints",
                       .help = "File of checkpoints, one a line, which the audit must still contain",
                       .field = &arguments->checkpoints},
                      {.name = "--keys", .help = "The public keys of their signer", .field = &arguments->keys},
                      {.name = "--json", .help = "One JSON object instead of lines", .field = &arguments->json}},
          .examples = {"portail audit verify --store lmdb:data",
                       "portail audit verify --store lmdb:data --checkpoints checkpoints.txt --keys audit-public.json"},
          .run = [arguments](const SettingValues& values) { return run_verify(*arguments, values); }};
}

Command audit_checkpoint_command() {
  auto arguments = std::make_shared<CheckpointArguments>();
  return {.name = "checkpoint",
          .help = "Print a signed line that names the last audit records, to be kept elsewhere",
          .settings = {"store", "audit-retention"},
          .options = {{.name = "--keys",
                       .help = "Private key set with an EdDSA key, created by `portail keys make`",
                       .field = &arguments->keys,
                       .is_required = true},
                      {.name = "--kid",
                       .help = "Key of the set; default: the first that can sign",
                       .field = &arguments->kid}},
          .examples = {"portail audit checkpoint --store lmdb:data --keys audit-keys.json >> checkpoints.txt"},
          .run = [arguments](const SettingValues& values) { return print_checkpoint(*arguments, values); }};
}

}  // namespace portail
