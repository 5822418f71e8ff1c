// The values `catalogue.N`: the mail objects as the source sends them, ordered by id.
//
//   catalogue.0   COUNT-OF-ALL TAB FIRST-ID:COUNT of part 0 TAB FIRST-ID:COUNT of part 1 …
//   every part    ID TAB the fields (fields_of<MailObject>) [TAB "nomFichier" TAB media/type TAB SIZE TAB HASH]
//
// A later version that adds a field writes `-` for the four fields of an absent file.
// HASH is the template file's BLAKE2b-128 in lower-case hex. Views into the stored values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/failure.hpp"
#include "core/portal/records/fields.hpp"

namespace portail {

struct TemplateFile {
  std::string_view file_name;  // JSON string
  std::string_view media_type;
  std::uint64_t size = 0;  // bytes
  std::string_view hash;
};

struct MailObject {
  std::uint64_t id = 0;
  std::string_view type;
  std::string_view description;
  std::optional<TemplateFile> template_file;
};

// The fields except the id.
template <>
inline constexpr std::array fields_of<MailObject>{
    Field<MailObject>{"typeObjet", &MailObject::type, Form::code},
    Field<MailObject>{"description", &MailObject::description, Form::text}};

// The first line of catalogue.0.
struct CatalogueSummary {
  struct Part {
    std::uint64_t first_id = 0;
    std::uint64_t count = 0;
  };
  std::uint64_t total = 0;
  std::vector<Part> parts;

  // Returns the only part that can contain `id`.
  [[nodiscard]] std::size_t part_of(std::uint64_t id) const;
};
Result<CatalogueSummary> read_catalogue_summary(std::string_view part_0);

// The mail objects of some parts, indexed by id. Lines are parsed on access.
class Catalogue {
 public:
  // Adds a part. Parts are added in ascending order; the text must outlive the catalogue.
  Result<void> add_part(std::size_t number, std::string_view text);

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] Result<MailObject> at(std::size_t index) const;
  [[nodiscard]] Result<std::optional<MailObject>> find(std::uint64_t id) const;

 private:
  struct Entry {
    std::uint64_t id;
    std::string_view rest;  // the line after the id
  };
  std::vector<Entry> entries_;
};

// Returns the parts to store, in order. `objects` are ordered by id.
std::vector<std::string> encode_catalogue(std::span<const MailObject> objects);

}  // namespace portail
