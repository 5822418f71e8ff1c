// The documents of this directory, embedded by the build: constants, UTF-8. For the endpoints of core/api; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace portail {

// A document that is embedded in compressed form. A constant.
class Document {
 public:
  // `deflated` is a raw DEFLATE stream (RFC 1951) of `size` bytes of text, with static lifetime.
  constexpr Document(std::span<const unsigned char> deflated, std::size_t size) : deflated_(deflated), size_(size) {}

  // Decompresses and returns the text.
  [[nodiscard]] std::string text() const;

 private:
  std::span<const unsigned char> deflated_;
  std::size_t size_;
};

// open_api.json: OpenAPI 3.1.
extern const Document open_api_document;
// open_api.html with its style and script, and the Content-Security-Policy that allows only these two.
extern const Document open_api_page;
extern const std::string_view open_api_page_policy;
// abp_modules.json and abp_types.json: the two members of ABP's ApplicationApiDescriptionModel.
extern const Document abp_modules;
extern const Document abp_types;
// abp_texts_en.json and abp_texts_fr.json: the texts of ABP's own front-end packages, as resources of
// ApplicationLocalizationDto.
extern const Document abp_english_texts;
extern const Document abp_french_texts;

}  // namespace portail
