#include "wasm/module/running_request.hpp"

#include <utility>

#include "guest/answer_framing.hpp"
#include "wasm/module/instance.hpp"

namespace portail::wasm {

RunningRequest::RunningRequest(HostedPortal& portal, RequestHead head)
    : portal_(portal), context_(portal.context(frames_)), head_(std::move(head)), request_(head_.with(body_)) {}

std::uint32_t RunningRequest::state() const {
  if (!answering_ && !reading_) return shown_;
  return body_.wanted() ? PORTAIL_WANTS_BODY : PORTAIL_WAITING;
}

std::string_view RunningRequest::data() const {
  if (state() == PORTAIL_ANSWERED) return answer_head_;
  if (state() == PORTAIL_PIECE) return piece_;
  return {};
}

template <class Part>
void RunningRequest::run(const Part& part) {
  RunningRequest*& running = Instance::current().running;
  RunningRequest* const before = std::exchange(running, this);
  part();
  if (answering_ && answering_->done()) {
    auto answered = answering_->result();
    answering_.reset();
    take_answer(answered ? std::move(*answered) : failed_answer());
  } else if (reading_ && reading_->done()) {
    const auto read = reading_->result();
    reading_.reset();
    take_piece(read);
  }
  running = before;
}

void RunningRequest::start() {
  answering_.emplace(portal_.portal().handle(context_, request_));
  run([this] { answering_->start([](void*) {}, nullptr); });
}

void RunningRequest::take_answer(Response response) {
  response_.emplace(std::move(response));
  answer_head_ = encode_answer_head(*response_);
  if (has_body(*response_, request_.method)) pieces_.emplace(response_->body);
  shown_ = PORTAIL_ANSWERED;
}

void RunningRequest::take_piece(const Result<std::optional<std::string_view>>& piece) {
  piece_ = piece ? piece->value_or(std::string_view{}) : std::string_view{};
  shown_ = !piece ? PORTAIL_BROKEN : *piece ? PORTAIL_PIECE : PORTAIL_END;
}

void RunningRequest::next() {
  if (state() != PORTAIL_ANSWERED && state() != PORTAIL_PIECE) return;
  if (!pieces_) return take_piece(std::nullopt);
  reading_.emplace(pieces_->next(context_));
  run([this] { reading_->start([](void*) {}, nullptr); });
}

void RunningRequest::give_body(Buffer piece) {
  if (state() == PORTAIL_WANTS_BODY) run([&] { body_.give(std::move(piece)); });
}

void RunningRequest::lose_body() {
  if (state() == PORTAIL_WANTS_BODY) run([this] { body_.lose(); });
}

void RunningRequest::expire() {
  if (!answering_ && !reading_) return;
  expired_ = true;
  run([this] {
    if (operation_) {
      operation_->complete(std::unexpected(Failure::cancelled));
    } else {
      body_.lose();
    }
  });
}

void RunningRequest::complete(Operation& operation, Result<Completed> result) {
  run([&] { operation.complete(std::move(result)); });
}

}  // namespace portail::wasm
