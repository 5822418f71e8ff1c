#include "core/http/messages.hpp"

#include <cstddef>

namespace portail {
namespace {

struct Sentence {
  std::string_view name;
  std::string_view english;
  std::string_view french;
};

constexpr Sentence sentence(Message message) {
  using enum Message;
  switch (message) {
    case invalid_request:
      return {"ValidationErrorMessage", "Your request is not valid!", "Votre requête n'est pas valide !"};
    case unauthorized:
      return {"NotAuthenticated", "You are not authenticated!", "Vous n'êtes pas authentifié !"};
    case permission_missing:
      return {"PermissionMissing", "You do not have the permission that this operation needs!",
              "Vous n'avez pas la permission que cette opération exige !"};
    case bundle_forbidden:
      return {"BundleForbidden", "You are not allowed to see this bundle!",
              "Vous n'êtes pas autorisé à voir cette liasse !"};
    case insecure_transport:
      return {"HttpsRequired", "This service answers over HTTPS only!", "Ce service ne répond qu'en HTTPS !"};
    case no_such_endpoint:
      return {"EndpointNotFound", "There is no such endpoint!", "Il n'existe pas de tel point d'accès !"};
    case no_such_entity:
      return {"EntityNotFoundErrorMessage", "There is no entity {0} with id = {1}!",
              "Il n'existe pas d'entité {0} avec id = {1} !"};
    case no_template_file:
      return {"TemplateFileNotFound", "There is no template file for ObjetCourrier with id = {0}!",
              "Il n'existe pas de fichier modèle pour ObjetCourrier avec id = {0} !"};
    case method_not_allowed:
      return {"MethodNotAllowed", "This endpoint does not take this method!",
              "Ce point d'accès n'accepte pas cette méthode !"};
    case precondition_failed:
      return {"PreconditionFailed", "The resource has changed since you read it!",
              "La ressource a changé depuis que vous l'avez lue !"};
    case weak_tag:
      return {"WeakTag",
              "If-Match has a weak tag (W/), which matches no version: a proxy on the way has weakened the tag!",
              "If-Match contient une étiquette faible (W/), qui ne correspond à aucune version : un proxy a affaibli "
              "l'étiquette en chemin !"};
    case malformed_tags:
      return {"MalformedTags", "If-Match is not a list of entity tags!",
              "If-Match n'est pas une liste d'étiquettes d'entité !"};
    case tag_excluded:
      return {"TagExcluded", "The resource exists in a version that If-None-Match excludes!",
              "La ressource existe dans une version que If-None-Match exclut !"};
    case content_too_large:
      return {"ContentTooLarge", "The body is too large!", "Le corps de la requête est trop volumineux !"};
    case unsupported_media_type:
      return {"UnsupportedMediaType", "The body must be JSON in UTF-8!",
              "Le corps de la requête doit être du JSON en UTF-8 !"};
    case internal_error:
      return {"InternalServerErrorMessage", "An internal error occurred during your request!",
              "Une erreur interne est survenue pendant votre requête !"};
    case mail_objects_are_synchronised:
      return {"PortailClients:ObjetsCourrierNonModifiables", "Mail objects can be neither created nor deleted!",
              "Les objets courrier ne peuvent être ni créés ni supprimés !"};
    case service_unavailable:
      return {"ServiceUnavailable", "The service cannot answer now; try again later!",
              "Le service ne peut pas répondre pour le moment, réessayez plus tard !"};
    case too_many_requests:
      return {"TooManyRequests", "You are sending too many requests; try again later!",
              "Vous envoyez trop de requêtes, réessayez plus tard !"};

    case malformed_request:
      return {"MalformedRequest", "The request is malformed!", "La requête est mal formée !"};
    case malformed_target:
      return {"MalformedTarget", "The target of the request is malformed!", "La cible de la requête est mal formée !"};
    case malformed_headers:
      return {"MalformedHeaders", "The headers of the request are malformed!",
              "Les en-têtes de la requête sont mal formés !"};
    case body_incomplete:
      return {"BodyIncomplete", "The body of the request is incomplete!", "Le corps de la requête est incomplet !"};
    case body_late:
      return {"BodyLate", "The body of the request did not arrive in time!",
              "Le corps de la requête n'est pas arrivé à temps !"};
    case headers_too_large:
      return {"HeadersTooLarge", "The headers of the request are too large!",
              "Les en-têtes de la requête sont trop volumineux !"};
    case version_not_supported:
      return {"HttpVersionNotSupported", "This version of HTTP is not supported!",
              "Cette version de HTTP n'est pas prise en charge !"};

    case validation_title:
      return {"ValidationNarrativeErrorMessageTitle", "The following errors were detected during validation.",
              "Les erreurs suivantes ont été détectées lors de la validation."};
    case skip_count_out_of_range:
      return {"SkipCountOutOfRange", "The field SkipCount must be an integer between 0 and 2147483647.",
              "Le champ SkipCount doit être un entier compris entre 0 et 2147483647."};
    case max_result_count_out_of_range:
      return {"MaxResultCountOutOfRange", "The field MaxResultCount must be an integer between 1 and 1000.",
              "Le champ MaxResultCount doit être un entier compris entre 1 et 1000."};
    case sorting_unknown:
      return {"SortingUnknown",
              "The field Sorting must name fields of a mail object, each followed by asc, desc or nothing.",
              "Le champ Sorting doit nommer des champs d'un objet courrier, chacun suivi de asc, de desc ou de rien."};
    case field_missing:
      return {"FieldRequired", "The field {0} is required.", "Le champ {0} est obligatoire."};
    case field_repeated:
      return {"FieldRepeated", "The field {0} must be given only once.",
              "Le champ {0} ne doit être donné qu'une seule fois."};
    case field_not_boolean:
      return {"FieldNotBoolean", "The field {0} must be true or false.", "Le champ {0} doit être true ou false."};
    case field_not_assignment_type:
      return {"FieldNotAssignmentType", "The field {0} must be one of Rien, Optionnel, Obligatoire.",
              "Le champ {0} doit être l'une des valeurs Rien, Optionnel, Obligatoire."};
    case body_not_an_object:
      return {"BodyNotAnObject", "The body must be a JSON object.", "Le corps de la requête doit être un objet JSON."};
    case body_not_json:
      return {"BodyNotJson", "The body is not valid JSON.", "Le corps de la requête n'est pas du JSON valide."};
    case body_not_utf8:
      return {"BodyNotUtf8", "The body is not valid UTF-8.", "Le corps de la requête n'est pas de l'UTF-8 valide."};
    case body_with_byte_order_mark:
      return {"BodyWithByteOrderMark", "The body must not begin with a byte order mark.",
              "Le corps de la requête ne doit pas commencer par un indicateur d'ordre des octets."};
    case body_too_deep:
      return {"BodyTooDeep", "The body is nested too deeply.",
              "Le corps de la requête est imbriqué trop profondément."};
  }
  return {};
}

}  // namespace

std::string_view name_of(Message message) { return sentence(message).name; }

std::string_view message_pattern(Message message, Language language) {
  const Sentence texts = sentence(message);
  return language == Language::french ? texts.french : texts.english;
}

std::string message_text(Message message, Language language, std::initializer_list<std::string_view> values) {
  const std::string_view pattern = message_pattern(message, language);
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '{') {
      text += pattern[i];
      continue;
    }
    const auto index = static_cast<std::size_t>(pattern[i + 1] - '0');
    if (index < values.size()) text += values.begin()[index];
    i += 2;
  }
  return text;
}

Message body_message(JsonFault fault) {
  switch (fault) {
    case JsonFault::byte_order_mark:
      return Message::body_with_byte_order_mark;
    case JsonFault::not_utf8:
      return Message::body_not_utf8;
    case JsonFault::too_deep:
      return Message::body_too_deep;
    default:
      return Message::body_not_json;
  }
}

}  // namespace portail
