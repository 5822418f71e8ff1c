#include "native/serve/served_keys.hpp"

#include <utility>

#include "native/keys/key_log.hpp"

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

}  // namespace portail
