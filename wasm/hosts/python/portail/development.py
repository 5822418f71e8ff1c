"""A first portal without an identity provider and without the native program: a key, tokens, and a sample portal in memory. For development
only: the program that has the object can sign a token for any user."""

import base64
import hmac
import json
import pathlib
import secrets
import time
from collections.abc import Sequence

from .store import MemoryStore

ISSUER, AUDIENCE = "https://development.invalid", "portail"
LIFETIME = 12 * 3600  # seconds


class Development:
    """Generates a key, which ends with the object. `settings` are those of a portal that accepts its tokens, also without TLS from this
    machine. `store` has the values of fixtures/development.json."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        key = {"kty": "oct", "kid": "development", "alg": "HS256", "use": "sig", "k": base64url(self._key)}
        self.settings = {"PORTAIL_ISSUER": ISSUER, "PORTAIL_AUDIENCE": AUDIENCE, "PORTAIL_JWKS": json.dumps({"keys": [key]}),
                         "PORTAIL_TRANSPORT": "loopback"}
        lines = pathlib.Path(__file__).with_name("development.jsonl").read_text(encoding="utf-8").splitlines()
        self.store = MemoryStore({each["key"].encode(): base64.b64decode(each["value"]) for each in map(json.loads, lines)})

    def token(self, subject: str, *roles: str, permissions: Sequence[str] = ()) -> str:
        """Returns a token, valid for twelve hours."""
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": subject, "iat": now, "exp": now + LIFETIME, "role": roles, "permissions": permissions}
        parts = {"alg": "HS256", "typ": "JWT", "kid": "development"}, claims
        signed = ".".join(base64url(json.dumps(part).encode()) for part in parts)
        return f"{signed}.{base64url(hmac.digest(self._key, signed.encode(), 'sha256'))}"


def base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()
