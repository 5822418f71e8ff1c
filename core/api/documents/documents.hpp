// The texts of this folder, as the build embedded them: constants, UTF-8. For the endpoints of core/api; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace portail {

// A text that the build embedded compressed. A constant.
class Document {
 public:
  // `deflated` is a raw DEFLATE stream (RFC 1951) of `size` bytes of text, and lives as long as the program.
  constexpr Document(std::span<const unsigned char> deflated, std::size_t size) : deflated_(deflated), size_(size) {}

  // The text, unpacked anew.
  [[nodiscard]] std::string text() const;

 private:
  std::span<const unsigned char> deflated_;
  std::size_t size_;
};

// open_api.json: OpenAPI 3.1.
extern const Document open_api_document;
// open_api.html with its style and script in it, and the Content-Security-Policy that lets just these two work.
extern const Document open_api_page;
extern const std::string_view open_api_page_policy;
// abp_modules.json and abp_types.json: the two members of ABP's ApplicationApiDescriptionModel.
extern const Document abp_modules;
extern const Document abp_types;
// abp_texts_en.json and abp_texts_fr.json: the texts that ABP's own front-end packages ask for, as the resources of its
// ApplicationLocalizationDto.
extern const Document abp_english_texts;
extern const Document abp_french_texts;

}  // namespace portail
