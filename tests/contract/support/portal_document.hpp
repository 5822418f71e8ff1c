// The import document of the suite, and the API's answers, as literals (placeholders: data_set.hpp). Mail objects 00 to
// 09 and the bundles of the third parties T1 to T3 never change; each of the others belongs to one case.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace portail::contract {

// clang-format off: one entity a line

// The sections of the import document. Their order differs from that of every answer.
inline constexpr std::string_view document_mail_objects =
    R"json({"id":$09,"typeObjet":"$RUN-A","description":"Grand modèle","utilisablePourLiasse":true,"typeAffectation":"Obligatoire","fichierModele":{"nomFichier":"grand.pdf","chemin":"modeles/large.pdf","type":"application/pdf"}})json"
    R"json(,{"id":$08,"typeObjet":"$RUN-doublet","description":"Second de deux","utilisablePourLiasse":true,"typeAffectation":"Obligatoire","fichierModele":{"nomFichier":"modèle \"l'été\" 100% (😀).pdf","chemin":"modeles/cni.pdf","type":"application/pdf"}})json"
    R"json(,{"id":$07,"typeObjet":"$RUN-double","description":"Premier de deux","utilisablePourLiasse":true,"typeAffectation":"Obligatoire"})json"
    R"json(,{"id":$06,"typeObjet":"$RUN-～","description":"Trois octets","utilisablePourLiasse":true,"typeAffectation":"Rien"})json"
    R"json(,{"id":$05,"typeObjet":"$RUN-😀","description":"Quatre octets, dont le premier demi-codet UTF-16 est inférieur à celui de ～","utilisablePourLiasse":false,"typeAffectation":"Rien"})json"
    R"json(,{"id":$04,"typeObjet":"$RUN-z","description":"Un octet","utilisablePourLiasse":false,"typeAffectation":"Optionnel"})json"
    R"json(,{"id":$03,"typeObjet":"$RUN-É","description":"Deux octets","utilisablePourLiasse":true,"typeAffectation":"Optionnel"})json"
    R"json(,{"id":$02,"typeObjet":"$RUN-b","description":"Minuscule après majuscule","utilisablePourLiasse":true,"typeAffectation":"Optionnel"})json"
    R"json(,{"id":$01,"typeObjet":"$RUN-B","description":"Échappés : \" \\ \/ \b\f\n\r\t \u0001 \u001F \u007f <b>&amp;\u0027+ \u00e9 \ud83d\ude00","utilisablePourLiasse":false,"typeAffectation":"Rien"})json"
    R"json(,{"id":$00,"typeObjet":"$RUN-CNI","description":"Carte nationale d'identité","utilisablePourLiasse":true,"typeAffectation":"Obligatoire","fichierModele":{"nomFichier":"modèle cni.pdf","chemin":"modeles/cni.pdf","type":"application/pdf"}})json"
    R"json(,{"id":$20,"typeObjet":"$RUN~20","description":"Objet 20","utilisablePourLiasse":false,"typeAffectation":"Rien"})json"
    R"json(,{"id":$21,"typeObjet":"$RUN~21","description":"Objet 21","utilisablePourLiasse":false,"typeAffectation":"Rien"})json"
    R"json(,{"id":$22,"typeObjet":"$RUN~22","description":"Objet 22","utilisablePourLiasse":false,"typeAffectation":"Rien"})json"
    R"json(,{"id":$23,"typeObjet":"$RUN~23","description":"Objet 23","utilisablePourLiasse":false,"typeAffectation":"Rien"})json"
    R"json(,{"id":$24,"typeObjet":"$RUN~24","description":"Objet 24","utilisablePourLiasse":false,"typeAffectation":"Rien"})json"
    R"json(,{"id":$25,"typeObjet":"$RUN~25","description":"Objet 25","utilisablePourLiasse":false,"typeAffectation":"Rien"})json"
    R"json(,{"id":$26,"typeObjet":"$RUN~26","description":"Objet 26","utilisablePourLiasse":false,"typeAffectation":"Rien"})json"
    R"json(,{"id":$27,"typeObjet":"$RUN~27","description":"Objet 27","utilisablePourLiasse":false,"typeAffectation":"Rien"})json"
    R"json(,{"id":$28,"typeObjet":"$RUN~28","description":"Objet 28","utilisablePourLiasse":false,"typeAffectation":"Rien"})json"
    R"json(,{"id":$29,"typeObjet":"$RUN~29","description":"Objet 29","utilisablePourLiasse":false,"typeAffectation":"Rien"})json"
    R"json(,{"id":$30,"typeObjet":"$RUN~30","description":"Objet 30","utilisablePourLiasse":false,"typeAffectation":"Rien"})json"
    R"json(,{"id":$31,"typeObjet":"$RUN~31","description":"Objet 31","utilisablePourLiasse":false,"typeAffectation":"Rien"})json";

inline constexpr std::string_view document_third_parties =
    R"json({"numeroTiers":"$RUN-T1","nomTiers":"Durand","prenomTiers":"Chloé","utilisateurs":["$RUN-client"],"gestionnaires":["$RUN-manager"]})json"
    R"json(,{"numeroTiers":"$RUN-T2","nomTiers":"Lefèvre","prenomTiers":"Zoé","utilisateurs":["$RUN-other"],"gestionnaires":["$RUN-manager"]})json"
    R"json(,{"numeroTiers":"$RUN-T3","nomTiers":"Petit","prenomTiers":"Léa","utilisateurs":["$RUN-stranger"],"gestionnaires":["$RUN-stranger-manager"]})json"
    R"json(,{"numeroTiers":"$RUN-T4","nomTiers":"Moreau","prenomTiers":"Noé","utilisateurs":["$RUN-reader","$RUN-second-reader"],"gestionnaires":["$RUN-reading-manager"]})json"
    R"json(,{"numeroTiers":"$RUN-T5","nomTiers":"Simon","prenomTiers":"Ana","utilisateurs":["$RUN-leaver","$RUN-stayer"],"gestionnaires":["$RUN-leaving-manager"]})json";

inline constexpr std::string_view document_bundles =
    R"json({"id":"$RUN-complet","nomDossier":"Prêt immobilier","creationDate":"2024-03-01T00:00:00+01:00","numeroTiers":"$RUN-T1","numeroPret":"P-778","montantOpportunite":150000.00,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u01","objetCourrier":$00,"statut":"Validé","motif":null},{"id":"$u02","objetCourrier":$02,"statut":"VALIDÉ","motif":null},{"id":"$u03","objetCourrier":$03,"statut":"Validé","motif":null}]})json"
    R"json(,{"id":"$RUN-egal-a","nomDossier":"Même instant","creationDate":"2023-05-01T12:00:00.000+02:00","numeroTiers":"$RUN-T1","numeroPret":"P-783","montantOpportunite":0.00,"opportuniteMiseEnPlace":false,"piecesAttendues":[]})json"
    R"json(,{"id":"$RUN-deroge-seul","nomDossier":"Validée et dérogée","creationDate":"2023-03-01T08:00:00+01:00","numeroTiers":"$RUN-T1","numeroPret":"P-785","montantOpportunite":7.10,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u20","objetCourrier":$00,"statut":"Validé","motif":null},{"id":"$u21","objetCourrier":$02,"statut":"Dérogé","motif":null}]})json"
    R"json(,{"id":"$RUN-rejets","nomDossier":"Prêt relais","creationDate":"2024-02-01T10:30:00+01:00","numeroTiers":"$RUN-T1","numeroPret":"P-780","montantOpportunite":1000,"opportuniteMiseEnPlace":true,"piecesAttendues":[{"id":"$u07","objetCourrier":$00,"statut":"Déposé","motif":"illisible"},{"id":"$u08","objetCourrier":$02,"statut":"Refusé","motif":"périmé ; voir \"agence\""},{"id":"$u09","objetCourrier":$03,"statut":"Validé","motif":"validé quand même"},{"id":"$u10","objetCourrier":$04,"statut":"Dérogé","motif":"dispense"},{"id":"$u11","objetCourrier":$09,"statut":"Attendu","motif":null}]})json"
    R"json(,{"id":"$RUN-en-cours","nomDossier":"Prêt travaux","creationDate":"2024-02-01T10:00:00+00:00","numeroTiers":"$RUN-T1","numeroPret":"P-779","montantOpportunite":0.10,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u04","objetCourrier":$00,"statut":"Validé","motif":null,"dateDepot":"2024-02-02T09:00:00+01:00"},{"id":"$u05","objetCourrier":$01,"statut":"Attendu","motif":null},{"id":"$u06","objetCourrier":$08,"statut":"validé","motif":null}]})json"
    R"json(,{"id":"$RUN-deroge","nomDossier":"Dérogations","creationDate":"2023-04-01T08:00:00+02:00","numeroTiers":"$RUN-T1","numeroPret":"P-784","montantOpportunite":12.5,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u12","objetCourrier":$00,"statut":"Dérogé","motif":null},{"id":"$u13","objetCourrier":$02,"statut":"Dérogée","motif":null},{"id":"$u14","objetCourrier":$03,"statut":"DÉROGÉE","motif":null},{"id":"$u15","objetCourrier":$04,"statut":"Dérogé","motif":null},{"id":"$u16","objetCourrier":$05,"statut":"Dérogation refusée","motif":"Le siège a dit non"},{"id":"$u17","objetCourrier":$06,"statut":"Validé","motif":null},{"id":"$u18","objetCourrier":$07,"statut":"Validé","motif":null},{"id":"$u19","objetCourrier":$09,"statut":"Inconnu","motif":null}]})json"
    R"json(,{"id":"$RUN-egal-B","nomDossier":"Même instant","creationDate":"2023-05-01T10:00:00Z","numeroTiers":"$RUN-T1","numeroPret":"P-782","montantOpportunite":1234567890123456789012345.6789,"opportuniteMiseEnPlace":false,"piecesAttendues":[]})json"
    R"json(,{"id":"$RUN-vide","nomDossier":"Sans pièce","creationDate":"2023-12-31T23:59:59.1234567-05:30","numeroTiers":"$RUN-T1","numeroPret":"P-781","montantOpportunite":79228162514264337593543950335,"opportuniteMiseEnPlace":true,"piecesAttendues":[]})json"
    R"json(,{"id":"$RUN-autre","nomDossier":"Autre client","creationDate":"2024-05-01T08:00:00+02:00","numeroTiers":"$RUN-T2","numeroPret":"P-900","montantOpportunite":99999.999,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u22","objetCourrier":$02,"statut":"Attendu","motif":null}]})json"
    R"json(,{"id":"$RUN-hors","nomDossier":"Essai","creationDate":"2022-01-01T00:00:00+01:00","numeroTiers":"$RUN-T3","numeroPret":"P-1","montantOpportunite":1.00,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u23","objetCourrier":$00,"statut":"Attendu","motif":null}]})json"
    R"json(,{"id":"$RUN-lue","nomDossier":"Essai","creationDate":"2022-01-01T00:00:00+01:00","numeroTiers":"$RUN-T4","numeroPret":"P-1","montantOpportunite":1.00,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u40","objetCourrier":$00,"statut":"Déposé","motif":null,"dateDepot":"2024-01-01T09:00:00+01:00"}]})json"
    R"json(,{"id":"$RUN-tete","nomDossier":"Essai","creationDate":"2022-01-01T00:00:00+01:00","numeroTiers":"$RUN-T4","numeroPret":"P-1","montantOpportunite":1.00,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u41","objetCourrier":$00,"statut":"Déposé","motif":null,"dateDepot":"2024-01-01T09:00:00+01:00"}]})json"
    R"json(,{"id":"$RUN-listes","nomDossier":"Essai","creationDate":"2022-01-01T00:00:00+01:00","numeroTiers":"$RUN-T4","numeroPret":"P-1","montantOpportunite":1.00,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u42","objetCourrier":$00,"statut":"Déposé","motif":null,"dateDepot":"2024-01-01T09:00:00+01:00"}]})json"
    R"json(,{"id":"$RUN-inchangee","nomDossier":"Essai","creationDate":"2022-01-01T00:00:00+01:00","numeroTiers":"$RUN-T4","numeroPret":"P-1","montantOpportunite":1.00,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u43","objetCourrier":$00,"statut":"Déposé","motif":null,"dateDepot":"2024-01-01T09:00:00+01:00"}]})json"
    R"json(,{"id":"$RUN-croissante","nomDossier":"Essai","creationDate":"2022-01-01T00:00:00+01:00","numeroTiers":"$RUN-T4","numeroPret":"P-1","montantOpportunite":1.00,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u44","objetCourrier":$00,"statut":"Déposé","motif":null,"dateDepot":"2024-01-01T09:00:00+01:00"}]})json"
    R"json(,{"id":"$RUN-derogee","nomDossier":"Essai","creationDate":"2022-01-01T00:00:00+01:00","numeroTiers":"$RUN-T4","numeroPret":"P-1","montantOpportunite":1.00,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u45","objetCourrier":$00,"statut":"Attendu","motif":null},{"id":"$u65","objetCourrier":$02,"statut":"Dérogé","motif":null}]})json"
    R"json(,{"id":"$RUN-gestion","nomDossier":"Essai","creationDate":"2022-01-01T00:00:00+01:00","numeroTiers":"$RUN-T4","numeroPret":"P-1","montantOpportunite":1.00,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u46","objetCourrier":$00,"statut":"Déposé","motif":null,"dateDepot":"2024-01-01T09:00:00+01:00"}]})json"
    R"json(,{"id":"$RUN-sans-motif","nomDossier":"Essai","creationDate":"2022-01-01T00:00:00+01:00","numeroTiers":"$RUN-T4","numeroPret":"P-1","montantOpportunite":1.00,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u47","objetCourrier":$00,"statut":"Déposé","motif":""}]})json"
    R"json(,{"id":"$RUN-partie","nomDossier":"Essai","creationDate":"2022-01-01T00:00:00+01:00","numeroTiers":"$RUN-T5","numeroPret":"P-1","montantOpportunite":1.00,"opportuniteMiseEnPlace":false,"piecesAttendues":[{"id":"$u70","objetCourrier":$00,"statut":"Attendu","motif":null}]})json";

inline constexpr std::string_view document_grants =
    R"json({"permission":"PortailClients.Dashboard.Host","role":"$RUN-gestionnaire"})json"
    R"json(,{"permission":"PortailClients.Dashboard.Host","utilisateur":"$RUN-stranger-manager"})json"
    R"json(,{"permission":"PortailClients.ObjetsCourrier.Update","utilisateur":"$RUN-admin"})json"
    R"json(,{"permission":"PortailClients.ObjetsCourrier.Update","client":"$RUN-robot"})json";

inline constexpr std::array<std::string_view, 10> mail_object_wire = {
    R"json({"id":$00,"typeObjet":"$RUN-CNI","description":"Carte nationale d'identité","utilisablePourLiasse":true,"typeAffectation":"Obligatoire","lienFichier":"/api/app/objet-courrier/$00/fichier-modele"})json",
    R"json({"id":$01,"typeObjet":"$RUN-B","description":"Échappés : \" \\ / \b\f\n\r\t \u0001 \u001f  <b>&amp;'+ é 😀","utilisablePourLiasse":false,"typeAffectation":"Rien","lienFichier":null})json",
    R"json({"id":$02,"typeObjet":"$RUN-b","description":"Minuscule après majuscule","utilisablePourLiasse":true,"typeAffectation":"Optionnel","lienFichier":null})json",
    R"json({"id":$03,"typeObjet":"$RUN-É","description":"Deux octets","utilisablePourLiasse":true,"typeAffectation":"Optionnel","lienFichier":null})json",
    R"json({"id":$04,"typeObjet":"$RUN-z","description":"Un octet","utilisablePourLiasse":false,"typeAffectation":"Optionnel","lienFichier":null})json",
    R"json({"id":$05,"typeObjet":"$RUN-😀","description":"Quatre octets, dont le premier demi-codet UTF-16 est inférieur à celui de ～","utilisablePourLiasse":false,"typeAffectation":"Rien","lienFichier":null})json",
    R"json({"id":$06,"typeObjet":"$RUN-～","description":"Trois octets","utilisablePourLiasse":true,"typeAffectation":"Rien","lienFichier":null})json",
    R"json({"id":$07,"typeObjet":"$RUN-double","description":"Premier de deux","utilisablePourLiasse":true,"typeAffectation":"Obligatoire","lienFichier":null})json",
    R"json({"id":$08,"typeObjet":"$RUN-doublet","description":"Second de deux","utilisablePourLiasse":true,"typeAffectation":"Obligatoire","lienFichier":"/api/app/objet-courrier/$08/fichier-modele"})json",
    R"json({"id":$09,"typeObjet":"$RUN-A","description":"Grand modèle","utilisablePourLiasse":true,"typeAffectation":"Obligatoire","lienFichier":"/api/app/objet-courrier/$09/fichier-modele"})json",
};

inline constexpr std::array<std::string_view, 10> embedded_mail_object_wire = {
    R"json({"id":$00,"typeObjet":"$RUN-CNI","description":"Carte nationale d'identité","utilisablePourLiasse":true,"typeAffectation":"Obligatoire","lienFichier":"/api/app/objet-courrier/$00/fichier-modele","nomFichier":"modèle cni.pdf"})json",
    R"json({"id":$01,"typeObjet":"$RUN-B","description":"Échappés : \" \\ / \b\f\n\r\t \u0001 \u001f  <b>&amp;'+ é 😀","utilisablePourLiasse":false,"typeAffectation":"Rien","lienFichier":null,"nomFichier":null})json",
    R"json({"id":$02,"typeObjet":"$RUN-b","description":"Minuscule après majuscule","utilisablePourLiasse":true,"typeAffectation":"Optionnel","lienFichier":null,"nomFichier":null})json",
    R"json({"id":$03,"typeObjet":"$RUN-É","description":"Deux octets","utilisablePourLiasse":true,"typeAffectation":"Optionnel","lienFichier":null,"nomFichier":null})json",
    R"json({"id":$04,"typeObjet":"$RUN-z","description":"Un octet","utilisablePourLiasse":false,"typeAffectation":"Optionnel","lienFichier":null,"nomFichier":null})json",
    R"json({"id":$05,"typeObjet":"$RUN-😀","description":"Quatre octets, dont le premier demi-codet UTF-16 est inférieur à celui de ～","utilisablePourLiasse":false,"typeAffectation":"Rien","lienFichier":null,"nomFichier":null})json",
    R"json({"id":$06,"typeObjet":"$RUN-～","description":"Trois octets","utilisablePourLiasse":true,"typeAffectation":"Rien","lienFichier":null,"nomFichier":null})json",
    R"json({"id":$07,"typeObjet":"$RUN-double","description":"Premier de deux","utilisablePourLiasse":true,"typeAffectation":"Obligatoire","lienFichier":null,"nomFichier":null})json",
    R"json({"id":$08,"typeObjet":"$RUN-doublet","description":"Second de deux","utilisablePourLiasse":true,"typeAffectation":"Obligatoire","lienFichier":"/api/app/objet-courrier/$08/fichier-modele","nomFichier":"modèle \"l'été\" 100% (😀).pdf"})json",
    R"json({"id":$09,"typeObjet":"$RUN-A","description":"Grand modèle","utilisablePourLiasse":true,"typeAffectation":"Obligatoire","lienFichier":"/api/app/objet-courrier/$09/fichier-modele","nomFichier":"grand.pdf"})json",
};

struct NamedBundle {
  std::string_view name;
  std::string_view wire;
};

// Newest first, as in the list of the client, who has read none of them.
inline constexpr std::array<NamedBundle, 8> client_bundle_wire = {{
    {"complet",
     R"json({"id":"$RUN-complet","nomDossier":"Prêt immobilier","creationDate":"2024-03-01T00:00:00+01:00","statut":"Complet","completion":100,"deposeeDepuisDerniereConsultation":false,"erreur":null,"piecesAttendues":[{"id":"$u01","objetCourrier":$E00,"statut":"Validé","motif":null},{"id":"$u02","objetCourrier":$E02,"statut":"VALIDÉ","motif":null},{"id":"$u03","objetCourrier":$E03,"statut":"Validé","motif":null}],"numeroTiers":"$RUN-T1","nomTiers":"Durand","prenomTiers":"Chloé","numeroPret":"P-778","montantOpportunite":150000.00,"opportuniteMiseEnPlace":false})json"},
    {"en-cours",
     R"json({"id":"$RUN-en-cours","nomDossier":"Prêt travaux","creationDate":"2024-02-01T10:00:00+00:00","statut":"En cours","completion":66.66666666666667,"deposeeDepuisDerniereConsultation":true,"erreur":null,"piecesAttendues":[{"id":"$u04","objetCourrier":$E00,"statut":"Validé","motif":null},{"id":"$u05","objetCourrier":$E01,"statut":"Attendu","motif":null},{"id":"$u06","objetCourrier":$E08,"statut":"validé","motif":null}],"numeroTiers":"$RUN-T1","nomTiers":"Durand","prenomTiers":"Chloé","numeroPret":"P-779","montantOpportunite":0.10,"opportuniteMiseEnPlace":false})json"},
    {"rejets",
     R"json({"id":"$RUN-rejets","nomDossier":"Prêt relais","creationDate":"2024-02-01T10:30:00+01:00","statut":"En cours","completion":20,"deposeeDepuisDerniereConsultation":false,"erreur":"$RUN-CNI : illisible ; $RUN-b : périmé ; voir \"agence\"","piecesAttendues":[{"id":"$u07","objetCourrier":$E00,"statut":"Déposé","motif":"illisible"},{"id":"$u08","objetCourrier":$E02,"statut":"Refusé","motif":"périmé ; voir \"agence\""},{"id":"$u09","objetCourrier":$E03,"statut":"Validé","motif":"validé quand même"},{"id":"$u10","objetCourrier":$E04,"statut":"Dérogé","motif":"dispense"},{"id":"$u11","objetCourrier":$E09,"statut":"Attendu","motif":null}],"numeroTiers":"$RUN-T1","nomTiers":"Durand","prenomTiers":"Chloé","numeroPret":"P-780","montantOpportunite":1000,"opportuniteMiseEnPlace":true})json"},
    {"vide",
     R"json({"id":"$RUN-vide","nomDossier":"Sans pièce","creationDate":"2023-12-31T23:59:59.1234567-05:30","statut":"Complet","completion":100,"deposeeDepuisDerniereConsultation":false,"erreur":null,"piecesAttendues":[],"numeroTiers":"$RUN-T1","nomTiers":"Durand","prenomTiers":"Chloé","numeroPret":"P-781","montantOpportunite":79228162514264337593543950335,"opportuniteMiseEnPlace":true})json"},
    {"egal-B",
     R"json({"id":"$RUN-egal-B","nomDossier":"Même instant","creationDate":"2023-05-01T10:00:00+00:00","statut":"Complet","completion":100,"deposeeDepuisDerniereConsultation":false,"erreur":null,"piecesAttendues":[],"numeroTiers":"$RUN-T1","nomTiers":"Durand","prenomTiers":"Chloé","numeroPret":"P-782","montantOpportunite":1234567890123456789012345.6789,"opportuniteMiseEnPlace":false})json"},
    {"egal-a",
     R"json({"id":"$RUN-egal-a","nomDossier":"Même instant","creationDate":"2023-05-01T12:00:00.000+02:00","statut":"Complet","completion":100,"deposeeDepuisDerniereConsultation":false,"erreur":null,"piecesAttendues":[],"numeroTiers":"$RUN-T1","nomTiers":"Durand","prenomTiers":"Chloé","numeroPret":"P-783","montantOpportunite":0.00,"opportuniteMiseEnPlace":false})json"},
    {"deroge",
     R"json({"id":"$RUN-deroge","nomDossier":"Dérogations","creationDate":"2023-04-01T08:00:00+02:00","statut":"En cours","completion":25,"deposeeDepuisDerniereConsultation":false,"erreur":"$RUN-😀 : Le siège a dit non","piecesAttendues":[{"id":"$u12","objetCourrier":$E00,"statut":"Dérogé","motif":null},{"id":"$u13","objetCourrier":$E02,"statut":"Dérogée","motif":null},{"id":"$u14","objetCourrier":$E03,"statut":"DÉROGÉE","motif":null},{"id":"$u15","objetCourrier":$E04,"statut":"Dérogé","motif":null},{"id":"$u16","objetCourrier":$E05,"statut":"Dérogation refusée","motif":"Le siège a dit non"},{"id":"$u17","objetCourrier":$E06,"statut":"Validé","motif":null},{"id":"$u18","objetCourrier":$E07,"statut":"Validé","motif":null},{"id":"$u19","objetCourrier":$E09,"statut":"Inconnu","motif":null}],"numeroTiers":"$RUN-T1","nomTiers":"Durand","prenomTiers":"Chloé","numeroPret":"P-784","montantOpportunite":12.5,"opportuniteMiseEnPlace":false})json"},
    {"deroge-seul",
     R"json({"id":"$RUN-deroge-seul","nomDossier":"Validée et dérogée","creationDate":"2023-03-01T08:00:00+01:00","statut":"En cours","completion":50,"deposeeDepuisDerniereConsultation":false,"erreur":null,"piecesAttendues":[{"id":"$u20","objetCourrier":$E00,"statut":"Validé","motif":null},{"id":"$u21","objetCourrier":$E02,"statut":"Dérogé","motif":null}],"numeroTiers":"$RUN-T1","nomTiers":"Durand","prenomTiers":"Chloé","numeroPret":"P-785","montantOpportunite":7.10,"opportuniteMiseEnPlace":false})json"},
}};

inline constexpr std::string_view other_bundle_wire =
    R"json({"id":"$RUN-autre","nomDossier":"Autre client","creationDate":"2024-05-01T08:00:00+02:00","statut":"En cours","completion":0,"deposeeDepuisDerniereConsultation":false,"erreur":null,"piecesAttendues":[{"id":"$u22","objetCourrier":$E02,"statut":"Attendu","motif":null}],"numeroTiers":"$RUN-T2","nomTiers":"Lefèvre","prenomTiers":"Zoé","numeroPret":"P-900","montantOpportunite":99999.999,"opportuniteMiseEnPlace":false})json";

// clang-format on

// A bundle that a case imports itself.
struct CaseBundle {
  std::string id{};
  std::string name = "Essai";
  std::string creation_date = "2022-01-01T00:00:00+01:00";
  std::string third_party = "$RUN-T3";
  std::string loan = "P-1";
  std::string amount = "1.00";
  std::string put_in_place = "false";
  std::string pieces{};  // JSON objects, separated by commas
};

// Returns the bundle as in the import document.
inline std::string document_bundle(const CaseBundle& bundle) {
  return R"({"id":")" + bundle.id + R"(","nomDossier":")" + bundle.name + R"(","creationDate":")" +
         bundle.creation_date + R"(","numeroTiers":")" + bundle.third_party + R"(","numeroPret":")" + bundle.loan +
         R"(","montantOpportunite":)" + bundle.amount + R"(,"opportuniteMiseEnPlace":)" + bundle.put_in_place +
         R"(,"piecesAttendues":[)" + bundle.pieces + "]}";
}

// Returns the end of the API's answer, from the array of pieces on. The names are those of the third party.
inline std::string answer_tail(const CaseBundle& bundle, const std::string& last_name, const std::string& first_name) {
  return R"(],"numeroTiers":")" + bundle.third_party + R"(","nomTiers":")" + last_name + R"(","prenomTiers":")" +
         first_name + R"(","numeroPret":")" + bundle.loan + R"(","montantOpportunite":)" + bundle.amount +
         R"(,"opportuniteMiseEnPlace":)" + bundle.put_in_place + "}";
}

}  // namespace portail::contract
