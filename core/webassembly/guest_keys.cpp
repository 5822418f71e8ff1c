#include "core/webassembly/guest_keys.hpp"

namespace portail {

void InstalledKeys::install(Context& context, const LoadedKeySet& loaded) {
  keys_ = std::make_shared<const KeySet>(loaded.keys);
  has_unlogged_diagnostics_ = requests_ < 2;
  if (!has_unlogged_diagnostics_) log_diagnostics(context, loaded);
}

void InstalledKeys::log_diagnostics(Context& context, const LoadedKeySet& loaded) {
  has_unlogged_diagnostics_ = false;
  for (const KeyDiagnostic& refusal : loaded.refusals) context.log.warn("key refused", describe(refusal));
  for (const KeyDiagnostic& notice : loaded.notices) {
    if (!is_refused(loaded, notice.index)) context.log.warn("key", describe(notice));  // one line for each key
  }
}

}  // namespace portail
