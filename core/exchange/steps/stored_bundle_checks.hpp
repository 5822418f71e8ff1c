// A check of every bundle that is stored, as a scan of bundle_prefix brings them. One import.
#pragma once

#include <string_view>

#include "core/exchange/document/faults.hpp"
#include "core/exchange/steps/check.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class StoredBundleChecks : public Visitor {
 public:
  // All that it is given outlives it.
  StoredBundleChecks(const CheckedDocument& document, const StoredMailObjects& stored, Faults& faults)
      : document_(document), stored_(stored), faults_(faults) {}

  bool visit(std::string_view /*key*/, std::string_view value) final {
    const auto bundle = read_bundle(value);
    valid = bundle && check(*bundle);
    return valid;
  }

  bool valid = true;  // false: a value is none that this program writes

 protected:
  // False where the bundle's pieces cannot be read.
  virtual bool check(const Bundle& bundle) = 0;

  const CheckedDocument& document_;
  const StoredMailObjects& stored_;
  Faults& faults_;
};

}  // namespace portail
