import json
import time
import urllib.error
import urllib.request
from decimal import Decimal


class PortailError(Exception):
    def __init__(self, status, headers, error):
        super().__init__(error.get("message"))
        self.status = status
        self.members = [member for fault in error.get("validationErrors") or [] for member in fault["members"]]
        self.correlation_id = headers["X-Correlation-Id"]


class Portail:
    """`token` gives the current token; `call` gives (body, tag), or raises a PortailError."""

    def __init__(self, base, token, attempts=4):
        self.base, self.token, self.attempts = base, token, attempts
        self.cache = {}  # target: (body, tag)

    def call(self, target, method="GET", body=None, tag=None):
        cached = self.cache.get(target) if method == "GET" else None
        headers = {"Authorization": f"Bearer {self.token()}"}
        if cached:
            headers["If-None-Match"] = cached[1]
        if tag:
            headers["If-Match"] = tag
        if body:
            headers["Content-Type"] = "application/json"
        data = json.dumps(body).encode() if body else None
        for attempt in range(1, self.attempts + 1):
            request = urllib.request.Request(self.base + target, data, headers, method=method)
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    read = json.load(answer, parse_float=Decimal), answer.headers["ETag"]
                    if "no-store" not in answer.headers["Cache-Control"]:
                        self.cache[target] = read
                    return read
            except urllib.error.HTTPError as answer:
                if answer.code == 304:
                    return cached
                if answer.code in (429, 503) and attempt < self.attempts:
                    time.sleep(int(answer.headers["Retry-After"] or 1))
                    continue
                raise PortailError(answer.code, answer.headers, json.load(answer)["error"]) from None

    def mail_objects(self, page_size=100):
        """All of them, page by page."""
        skip, total = 0, 1
        while skip < total:
            page, _ = self.call(f"/api/app/objet-courrier?SkipCount={skip}&MaxResultCount={page_size}")
            yield from page["items"]
            skip, total = skip + page_size, page["totalCount"]
