#include "native/commands/served_keys.hpp"

#include <utility>

#include "native/keys/key_log.hpp"

namespace portail {

ServedKeys::ServedKeys(ServeSetup& setup, JsonLog& log) : log_(log), place_(setup.plan.keys.place) {
  if (place_ == KeyPlace::text) {
    text_ = std::move(setup.keys);
    fixed_.emplace(text_->keys);
  } else {
    refreshing_.emplace(std::move(setup.key_document), setup.plan.keys.times, log);
  }
}

void ServedKeys::start() {
  if (text_) log_key_set(log_, "text", *text_);
  if (!refreshing_) return;
  if (place_ == KeyPlace::file) refreshing_->refresh();
  refreshing_->start();
}

void ServedKeys::refresh_soon() {
  if (refreshing_) refreshing_->refresh_soon();
}

KeySource& ServedKeys::source() {
  if (refreshing_) return *refreshing_;
  return *fixed_;
}

KeyStatus ServedKeys::status() {
  if (refreshing_) return refreshing_->status();
  KeyStatus status;
  status.keys = text_->keys.size();
  return status;
}

}  // namespace portail
