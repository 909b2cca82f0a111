"""HTTP the sandbox's own way: the worker asks, and its network policy decides."""
import base64
import json as _json


class Response:
    def __init__(self, data):
        self.status_code = data.get("status", 0)
        self.reason = data.get("statusText", "")
        self.headers = data.get("headers", {})
        self.url = data.get("url", "")
        self.content = base64.b64decode(data.get("bodyBase64") or "")
        self.text = self.content.decode("utf-8", errors="replace")

    @property
    def ok(self):
        return 200 <= self.status_code < 300

    def json(self):
        return _json.loads(self.text)

    def raise_for_status(self):
        if not self.ok:
            raise Exception(f"HTTP {self.status_code}: {self.reason}")


def request(method, url, headers=None, data=None, json=None):
    headers = dict(headers or {})
    if json is not None:
        data = _json.dumps(json)
        headers["Content-Type"] = "application/json"
    if isinstance(data, bytes):
        data = data.decode("utf-8")
    asked = {"url": url, "method": method, "headers": headers, "body": data}
    with open("/lib/http/request", "w", encoding="utf-8") as file:
        file.write(_json.dumps(asked))
    with open("/lib/http/request", encoding="utf-8") as file:
        answer = _json.loads(file.read())
    if "error" in answer and answer.get("status") is None:
        raise Exception(answer["error"])
    return Response(answer)


def get(url, **options):
    return request("GET", url, **options)


def post(url, **options):
    return request("POST", url, **options)


def put(url, **options):
    return request("PUT", url, **options)


def delete(url, **options):
    return request("DELETE", url, **options)


def head(url, **options):
    return request("HEAD", url, **options)


def patch(url, **options):
    return request("PATCH", url, **options)
