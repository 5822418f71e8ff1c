// The portal's routes in Go: net/http, encoding/json with typed structures, and golang-jwt, with a cache of verified tokens.
// The data is the import document, in memory. The answers have the portal's JSON and headers, their own tags, and 304.
//
//	portail-go DOCUMENT KEYS ISSUER AUDIENCE: the import document, and the public key set
package main

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
)

type problem struct {
	status  int
	message string
}

func (p *problem) Error() string { return p.message }

type envelope struct {
	Error failure `json:"error"`
}

type failure struct {
	Code             *string  `json:"code"`
	Message          string   `json:"message"`
	Details          *string  `json:"details"`
	Data             struct{} `json:"data"`
	ValidationErrors *string  `json:"validationErrors"`
}

var forbidden = &problem{http.StatusForbidden, "You are not allowed to do this!"}

func missing(what, id string) error {
	return &problem{http.StatusNotFound, fmt.Sprintf("There is no entity %s with id = %s!", what, id)}
}

type server struct {
	portal *portal
	tokens *tokens
}

// route answers requests with a valid token with the result of endpoint, as JSON.
func (s *server) route(caching string, endpoint func(*caller, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Content-Type", "application/json; charset=utf-8")
		header.Set("Vary", "Authorization, Origin, Accept-Encoding, Accept-Language")
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("X-Correlation-Id", correlationOf(r))
		body, err := s.answer(w, r, endpoint)
		if err != nil {
			fail(w, err)
			return
		}
		tag := strconv.Quote(strconv.FormatUint(xxhash.Sum64(body), 36))
		header.Set("ETag", tag)
		header.Set("Cache-Control", caching)
		if r.Header.Get("If-None-Match") == tag {
			header.Del("Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
		header.Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body)
	}
}

func (s *server) answer(w http.ResponseWriter, r *http.Request, endpoint func(*caller, *http.Request) (any, error)) ([]byte, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return nil, &problem{http.StatusUnauthorized, "Authentication is required!"}
	}
	who, err := s.tokens.verify(token)
	if err != nil {
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		return nil, &problem{http.StatusUnauthorized, "The token is not valid!"}
	}
	given, err := endpoint(who, r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(given)
}

func fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if known, is := err.(*problem); is {
		status = known.status
	}
	if status != http.StatusUnauthorized && status != http.StatusForbidden {
		w.Header().Set("_AbpErrorFormat", "true")
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(envelope{failure{Message: err.Error()}})
}

func correlationOf(r *http.Request) string {
	if given := r.Header.Get("X-Correlation-Id"); given != "" {
		return given
	}
	var bytes [16]byte
	rand.Read(bytes[:])
	return hex.EncodeToString(bytes[:])
}

// number returns that parameter of the query, from minimum to maximum, or the default value.
func number(r *http.Request, name string, defaultValue, minimum, maximum int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return defaultValue, nil
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < minimum || value > maximum {
		return 0, &problem{http.StatusBadRequest, name + " is not valid!"}
	}
	return value, nil
}

func (s *server) mailObjects(_ *caller, r *http.Request) (any, error) {
	skip, err := number(r, "SkipCount", 0, 0, 1<<31-1)
	if err != nil {
		return nil, err
	}
	limit, err := number(r, "MaxResultCount", 10, 1, 1000)
	if err != nil {
		return nil, err
	}
	return s.portal.mailObjectPage(skip, limit), nil
}

func (s *server) mailObject(_ *caller, r *http.Request) (any, error) {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil {
		return nil, &problem{http.StatusBadRequest, "id is not valid!"}
	}
	found := s.portal.mailObjects[id]
	if found == nil {
		return nil, missing("ObjetCourrier", r.PathValue("id"))
	}
	return &found.mailObject, nil
}

func (s *server) bundles(who *caller, _ *http.Request) (any, error) {
	return s.portal.bundlesOf(who.Subject), nil
}

func (s *server) dashboard(who *caller, _ *http.Request) (any, error) {
	if !s.portal.may(who, "PortailClients.Dashboard.Host") {
		return nil, forbidden
	}
	return s.portal.managedBundlesOf(who.Subject), nil
}

func (s *server) bundle(who *caller, r *http.Request) (any, error) {
	found := s.portal.bundles[r.PathValue("id")]
	if found == nil {
		return nil, missing("Liasse", r.PathValue("id"))
	}
	if seen := s.portal.bundleFor(who, found); seen != nil {
		return seen, nil
	}
	return nil, forbidden
}

func main() {
	if len(os.Args) != 5 {
		log.Fatal("portail-go DOCUMENT KEYS ISSUER AUDIENCE")
	}
	portal, err := readPortal(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	tokens, err := readTokens(os.Args[2], os.Args[3], os.Args[4])
	if err != nil {
		log.Fatal(err)
	}
	s := &server{portal, tokens}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /api/app/objet-courrier", s.route("private, no-cache", s.mailObjects))
	routes.HandleFunc("GET /api/app/objet-courrier/{id}", s.route("private, no-cache", s.mailObject))
	routes.HandleFunc("GET /api/app/liasse", s.route("no-store", s.bundles))
	routes.HandleFunc("GET /api/app/liasse/dashboard-list", s.route("no-store", s.dashboard))
	routes.HandleFunc("GET /api/app/liasse/{id}", s.route("no-store", s.bundle))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, routes))
}
