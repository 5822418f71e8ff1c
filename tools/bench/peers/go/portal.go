package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// document is the import document, as far as the five routes need it.
type document struct {
	ObjetsCourrier []givenMailObject `json:"objetsCourrier"`
	Tiers          []party           `json:"tiers"`
	Liasses        []givenBundle     `json:"liasses"`
	Droits         []right           `json:"droits"`
}

type givenMailObject struct {
	mailObject
	FichierModele *struct {
		NomFichier string `json:"nomFichier"`
	} `json:"fichierModele"`
}

type party struct {
	NumeroTiers   string   `json:"numeroTiers"`
	NomTiers      string   `json:"nomTiers"`
	PrenomTiers   string   `json:"prenomTiers"`
	Utilisateurs  []string `json:"utilisateurs"`
	Gestionnaires []string `json:"gestionnaires"`
}

type givenBundle struct {
	ID                     string       `json:"id"`
	NomDossier             string       `json:"nomDossier"`
	CreationDate           string       `json:"creationDate"`
	NumeroTiers            string       `json:"numeroTiers"`
	NumeroPret             string       `json:"numeroPret"`
	MontantOpportunite     float64      `json:"montantOpportunite"`
	OpportuniteMiseEnPlace bool         `json:"opportuniteMiseEnPlace"`
	PiecesAttendues        []givenPiece `json:"piecesAttendues"`

	party *party
}

type givenPiece struct {
	ID            string  `json:"id"`
	ObjetCourrier int     `json:"objetCourrier"`
	Statut        string  `json:"statut"`
	Motif         *string `json:"motif"`
	DateDepot     *string `json:"dateDepot"`

	kind kind
}

type right struct {
	Permission  string  `json:"permission"`
	Role        *string `json:"role"`
	Utilisateur *string `json:"utilisateur"`
}

// The answers.

type mailObject struct {
	ID                   int     `json:"id"`
	TypeObjet            string  `json:"typeObjet"`
	Description          string  `json:"description"`
	UtilisablePourLiasse bool    `json:"utilisablePourLiasse"`
	TypeAffectation      string  `json:"typeAffectation"`
	LienFichier          *string `json:"lienFichier"`
}

// namedMailObject is a mail object in a bundle.
type namedMailObject struct {
	mailObject
	NomFichier *string `json:"nomFichier"`
}

type mailObjectPage struct {
	TotalCount int          `json:"totalCount"`
	Items      []mailObject `json:"items"`
}

type bundle struct {
	ID                                string  `json:"id"`
	NomDossier                        string  `json:"nomDossier"`
	CreationDate                      string  `json:"creationDate"`
	Statut                            string  `json:"statut"`
	Completion                        float64 `json:"completion"`
	DeposeeDepuisDerniereConsultation bool    `json:"deposeeDepuisDerniereConsultation"`
	Erreur                            *string `json:"erreur"`
	PiecesAttendues                   []piece `json:"piecesAttendues"`
	NumeroTiers                       string  `json:"numeroTiers"`
	NomTiers                          string  `json:"nomTiers"`
	PrenomTiers                       string  `json:"prenomTiers"`
	NumeroPret                        string  `json:"numeroPret"`
	MontantOpportunite                float64 `json:"montantOpportunite"`
	OpportuniteMiseEnPlace            bool    `json:"opportuniteMiseEnPlace"`
}

type piece struct {
	ID            string           `json:"id"`
	ObjetCourrier *namedMailObject `json:"objetCourrier"`
	Statut        string           `json:"statut"`
	Motif         *string          `json:"motif"`
}

type kind int

const (
	open kind = iota
	validated
	derogated
)

// Who saw a bundle last.
type view struct{ sub, id string }

// portal computes the visibility of mail objects and bundles. Data that does not depend on the caller is prepared when the
// document is read; the rest is computed for each answer.
type portal struct {
	ordered      []mailObject
	mailObjects  map[int]*namedMailObject
	bundles      map[string]*givenBundle
	own, managed map[string][]*givenBundle
	rights       []right

	mutex sync.RWMutex
	seen  map[view]int // the deposits that were there
}

func readPortal(path string) (*portal, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var given document
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, err
	}
	p := &portal{
		mailObjects: map[int]*namedMailObject{},
		bundles:     map[string]*givenBundle{},
		own:         map[string][]*givenBundle{},
		managed:     map[string][]*givenBundle{},
		rights:      given.Droits,
		seen:        map[view]int{},
	}
	p.addMailObjects(given.ObjetsCourrier)
	return p, p.addBundles(given.Liasses, given.Tiers)
}

func (p *portal) addMailObjects(given []givenMailObject) {
	slices.SortFunc(given, func(a, b givenMailObject) int { return a.ID - b.ID })
	for _, from := range given {
		named := &namedMailObject{mailObject: from.mailObject}
		if from.FichierModele != nil {
			link := fmt.Sprintf("/api/app/objet-courrier/%d/fichier-modele", from.ID)
			named.LienFichier, named.NomFichier = &link, &from.FichierModele.NomFichier
		}
		p.mailObjects[from.ID] = named
		p.ordered = append(p.ordered, named.mailObject)
	}
}

func (p *portal) addBundles(given []givenBundle, parties []party) error {
	byNumber := map[string]*party{}
	for i := range parties {
		byNumber[parties[i].NumeroTiers] = &parties[i]
	}
	created := map[string]time.Time{}
	for i := range given {
		from := &given[i]
		at, err := time.Parse(time.RFC3339, from.CreationDate)
		if err != nil {
			return err
		}
		created[from.ID] = at
		if date, isUTC := strings.CutSuffix(from.CreationDate, "Z"); isUTC {
			from.CreationDate = date + "+00:00"
		}
		from.party = byNumber[from.NumeroTiers]
		for j := range from.PiecesAttendues {
			from.PiecesAttendues[j].kind = kindOf(from.PiecesAttendues[j].Statut)
		}
	}
	slices.SortFunc(given, func(a, b givenBundle) int {
		return cmp.Or(created[b.ID].Compare(created[a.ID]), cmp.Compare(a.ID, b.ID))
	})
	for i := range given {
		from := &given[i]
		p.bundles[from.ID] = from
		for _, sub := range from.party.Utilisateurs {
			p.own[sub] = append(p.own[sub], from)
		}
		for _, sub := range from.party.Gestionnaires {
			p.managed[sub] = append(p.managed[sub], from)
		}
	}
	return nil
}

func kindOf(statut string) kind {
	text := strings.NewReplacer("é", "e", "e\u0301", "e").Replace(strings.ToLower(statut))
	switch text {
	case "valide":
		return validated
	case "deroge", "derogee":
		return derogated
	default:
		return open
	}
}

func (p *portal) mailObjectPage(skip, limit int) mailObjectPage {
	from := min(skip, len(p.ordered))
	return mailObjectPage{len(p.ordered), p.ordered[from:min(from+limit, len(p.ordered))]}
}

func (p *portal) may(who *caller, permission string) bool {
	return slices.Contains(who.Permissions, permission) || slices.ContainsFunc(p.rights, func(r right) bool {
		return r.Permission == permission && (r.Utilisateur != nil && *r.Utilisateur == who.Subject ||
			r.Role != nil && slices.Contains(who.Role, *r.Role))
	})
}

func (p *portal) bundlesOf(sub string) []bundle        { return p.all(p.own[sub], sub) }
func (p *portal) managedBundlesOf(sub string) []bundle { return p.all(p.managed[sub], sub) }

func (p *portal) all(given []*givenBundle, sub string) []bundle {
	shown := make([]bundle, 0, len(given))
	p.mutex.RLock()
	defer p.mutex.RUnlock()
	for _, from := range given {
		shown = append(shown, p.shown(from, sub, false))
	}
	return shown
}

// bundleFor returns the bundle as this caller sees it, or nil, and records the consultation.
func (p *portal) bundleFor(who *caller, from *givenBundle) *bundle {
	isOwn := slices.Contains(from.party.Utilisateurs, who.Subject)
	manages := slices.Contains(from.party.Gestionnaires, who.Subject) && p.may(who, "PortailClients.Dashboard.Host")
	if !isOwn && !manages {
		return nil
	}
	hidden := !p.may(who, "PortailClients.Liasses.VoirPieceDerogee")
	p.mutex.RLock()
	answer := p.shown(from, who.Subject, hidden)
	p.mutex.RUnlock()
	if answer.DeposeeDepuisDerniereConsultation {
		p.mutex.Lock()
		p.seen[view{who.Subject, from.ID}] = from.deposits()
		p.mutex.Unlock()
	}
	return &answer
}

// shown requires the mutex.
func (p *portal) shown(from *givenBundle, sub string, hidden bool) bundle {
	done := 0
	var faults []string
	pieces := make([]piece, 0, len(from.PiecesAttendues))
	for _, given := range from.PiecesAttendues {
		if given.kind == validated {
			done++
		}
		if given.kind == open && given.Motif != nil && *given.Motif != "" {
			faults = append(faults, p.mailObjects[given.ObjetCourrier].TypeObjet+" : "+*given.Motif)
		}
		if !hidden || given.kind != derogated {
			pieces = append(pieces, piece{given.ID, p.mailObjects[given.ObjetCourrier], given.Statut, given.Motif})
		}
	}
	shown := bundle{
		ID:                                from.ID,
		NomDossier:                        from.NomDossier,
		CreationDate:                      from.CreationDate,
		Statut:                            "En cours",
		Completion:                        100,
		DeposeeDepuisDerniereConsultation: from.deposits() > p.seen[view{sub, from.ID}],
		PiecesAttendues:                   pieces,
		NumeroTiers:                       from.party.NumeroTiers,
		NomTiers:                          from.party.NomTiers,
		PrenomTiers:                       from.party.PrenomTiers,
		NumeroPret:                        from.NumeroPret,
		MontantOpportunite:                from.MontantOpportunite,
		OpportuniteMiseEnPlace:            from.OpportuniteMiseEnPlace,
	}
	if count := len(from.PiecesAttendues); count == done {
		shown.Statut = "Complet"
	} else {
		shown.Completion = 100 * float64(done) / float64(count)
	}
	if len(faults) > 0 {
		erreur := strings.Join(faults, " ; ")
		shown.Erreur = &erreur
	}
	return shown
}

func (b *givenBundle) deposits() int {
	count := 0
	for _, given := range b.PiecesAttendues {
		if given.DateDepot != nil {
			count++
		}
	}
	return count
}
