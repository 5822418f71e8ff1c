package portail

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"time"
)

const (
	developmentIssuer   = "https://development.invalid"
	developmentAudience = "portail"
	developmentLifetime = 12 * time.Hour
)

// The values of fixtures/development.json, which the package's build adds (tools/lib/embedding.sh).
//
//go:embed development.jsonl
var developmentValues []byte

// Development is a first portal without an identity provider and without the native program: a key, tokens, and a sample portal in memory.
// For development only: the program that has it can sign a token for any user.
type Development struct {
	// Store has the values of fixtures/development.json.
	Store *MemoryStore
	// Settings are those of a portal that accepts the tokens, also without TLS from this machine.
	Settings map[string]string
	key      []byte
}

// NewDevelopment generates a key, which ends with the process.
func NewDevelopment() *Development {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	set := map[string]any{"keys": []any{map[string]string{
		"kty": "oct", "kid": "development", "alg": "HS256", "use": "sig", "k": base64.RawURLEncoding.EncodeToString(key)}}}
	store := &MemoryStore{}
	for line := range bytes.Lines(developmentValues) {
		var each struct {
			Key   string
			Value []byte
		}
		if err := json.Unmarshal(line, &each); err != nil {
			panic(err) // the package is damaged
		}
		_ = store.Put(each.Key, each.Value)
	}
	return &Development{Store: store, key: key, Settings: map[string]string{
		"PORTAIL_ISSUER":    developmentIssuer,
		"PORTAIL_AUDIENCE":  developmentAudience,
		"PORTAIL_JWKS":      string(asJSON(set)),
		"PORTAIL_TRANSPORT": "loopback",
	}}
}

// Token returns a token, valid for twelve hours.
func (development *Development) Token(subject string, roles ...string) string {
	now := time.Now()
	head := map[string]string{"alg": "HS256", "typ": "JWT", "kid": "development"}
	claims := map[string]any{"iss": developmentIssuer, "aud": developmentAudience, "sub": subject, "iat": now.Unix(),
		"exp": now.Add(developmentLifetime).Unix(), "role": append([]string{}, roles...)}
	signed := base64.RawURLEncoding.EncodeToString(asJSON(head)) + "." + base64.RawURLEncoding.EncodeToString(asJSON(claims))
	code := hmac.New(sha256.New, development.key)
	code.Write([]byte(signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(code.Sum(nil))
}

func asJSON(value any) []byte {
	text, _ := json.Marshal(value) // of these types it never fails
	return text
}
