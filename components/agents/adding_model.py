"""A model that adds up what it is given, as KServe's first protocol asks for it: `python3 model.py PORT`."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer


class AddingModel(BaseHTTPRequestHandler):
    """Says that it is ready, and answers each row with its sum."""

    def do_GET(self) -> None:
        self.answer({"name": "model", "ready": True})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer({"predictions": [sum(row) for row in asked["instances"]]})

    def answer(self, body: object) -> None:
        text = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


if __name__ == "__main__":
    HTTPServer(("", int(sys.argv[1])), AddingModel).serve_forever()
