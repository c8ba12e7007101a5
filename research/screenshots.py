"""Take the pictures of docs/serve.md: the demonstration, after some labels, in Debian's chromium.

python research/screenshots.py docs/images
"""

import json
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
WORDS = ("orbit", "space", "nasa", "shuttle", "launch", "moon", "satellite", "rocket", "mission")
N_LABELS = {"screen": 45, "progress": 160}  # before each picture


def ask(address: str, path: str, values: Any = None) -> Any:
    """Ask the server as a program would."""
    body = None if values is None else json.dumps(values).encode()
    request = urllib.request.Request(address + path, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def is_wanted(shown: Any) -> bool:
    """Return whether the item before the reviewer is about space flight, by its words."""
    text = " " + re.sub(r"<[^>]*>", "", shown["html"]).lower()
    return sum(f" {word}" in text for word in WORDS) >= 3


def label(address: str, n_labels: int) -> None:
    """Answer as somebody would who looks for words of space flight."""
    for _ in range(600):
        try:
            shown = ask(address, "api/next")
            break
        except urllib.error.HTTPError:
            time.sleep(0.2)
    for _ in range(n_labels):
        wanted = is_wanted(shown)
        values = {name: shown[name] for name in ("item", "token", "reason")}
        shown = ask(address, "api/answers", values | {"label": 1 if wanted else 2})
    for _ in range(40):  # a picture of one that is relevant, with marks at its top
        top = shown["html"][:2500]
        if is_wanted(shown) and top.count("<mark") >= 4:
            break
        values = {name: shown[name] for name in ("item", "token", "reason")}
        shown = ask(address, "api/answers", values | {"label": 1 if is_wanted(shown) else 2})
    time.sleep(5)  # the estimate follows the last answer


def main(folder: Path) -> None:
    """Serve the demonstration, label, and take the pictures."""
    command = [sys.executable, "-m", "lopsided", "serve", "--demo", "--port", "0", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = json.loads(server.stdout.readline())["address"]
    try:
        with sync_playwright() as player:
            browser = player.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
            for name, path, scheme, size in (
                ("screen", "screen", "light", (1080, 680)),
                ("progress", "progress", "dark", (1080, 860)),
            ):
                label(address, N_LABELS[name])
                context = browser.new_context(
                    viewport={"width": size[0], "height": size[1]}, color_scheme=scheme
                )
                page = context.new_page()
                page.goto(address + path)
                page.wait_for_timeout(400)
                picture = Image.open(BytesIO(page.screenshot()))
                picture.convert("RGB").quantize(96).save(folder / f"{name}.png", optimize=True)
                context.close()
            browser.close()
    finally:
        server.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
