package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// caller is the caller by the claims of a token.
type caller struct {
	jwt.RegisteredClaims
	Role        jwt.ClaimStrings `json:"role"`
	Permissions []string         `json:"permissions"`
}

const maxCachedTokens = 1000

// tokens verifies tokens, and caches verified ones until they expire.
type tokens struct {
	parser *jwt.Parser
	key    ed25519.PublicKey

	mutex sync.RWMutex
	known map[string]*caller
}

func readTokens(path, issuer, audience string) (*tokens, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var set struct {
		Keys []struct{ X string }
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, err
	}
	if len(set.Keys) != 1 {
		return nil, errors.New("the key set has not one key")
	}
	key, err := base64.RawURLEncoding.DecodeString(set.Keys[0].X)
	if err != nil {
		return nil, err
	}
	return &tokens{
		parser: jwt.NewParser(jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithIssuer(issuer), jwt.WithAudience(audience),
			jwt.WithExpirationRequired()),
		key:   key,
		known: map[string]*caller{},
	}, nil
}

func (t *tokens) verify(token string) (*caller, error) {
	t.mutex.RLock()
	who, known := t.known[token]
	t.mutex.RUnlock()
	if known && time.Now().Before(who.ExpiresAt.Time) {
		return who, nil
	}
	who = &caller{}
	_, err := t.parser.ParseWithClaims(token, who, func(*jwt.Token) (any, error) { return t.key, nil })
	if err == nil && who.Subject == "" {
		err = errors.New("the token has no subject")
	}
	if err != nil {
		return nil, err
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.known) >= maxCachedTokens {
		clear(t.known)
	}
	t.known[token] = who
	return who, nil
}
