// Checks every stored bundle, as the visitor of a scan of bundle_prefix. One import.
#pragma once

#include <string_view>

#include "core/exchange/document/faults.hpp"
#include "core/exchange/steps/check.hpp"
#include "core/exchange/steps/mail_objects.hpp"
#include "core/portal/records/bundle.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

class StoredBundleCheck : public Visitor {
 public:
  // All arguments must outlive the check.
  StoredBundleCheck(const CheckedDocument& document, const StoredMailObjects& stored, Faults& faults)
      : document_(document), stored_(stored), faults_(faults) {}

  bool visit(std::string_view /*key*/, std::string_view value) final {
    const auto bundle = read_bundle(value);
    valid = bundle && check(*bundle);
    return valid;
  }

  bool valid = true;  // false after an invalid value

 protected:
  // Returns false if the bundle's pieces are invalid.
  virtual bool check(const Bundle& bundle) = 0;

  const CheckedDocument& document_;
  const StoredMailObjects& stored_;
  Faults& faults_;
};

}  // namespace portail
