"""Take the pictures of docs/serve.md: a made-up project, after some labels, in Debian's chromium.

python research/screenshots.py docs/images
"""

import json
import random
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from lopsided.store import open_store
from lopsided.text import Record

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
N_LABELS = {"screen": 40, "progress": 130}  # before each picture
# Parts of made-up abstracts: no text of anybody is in a picture.
SUBJECTS = ["shore power", "slow steaming", "scrubbers", "ballast water", "port congestion", "hull cleaning"]
OTHERS = ["wheat yields", "crop rotation", "soil moisture", "irrigation", "seed treatment", "pest control"]
PLACES = ["Rotterdam", "Piraeus", "Valencia", "Gdansk", "Trieste", "Antwerp", "Bergen", "Genoa"]
N_RECORDS, N_RELEVANT = 1500, 45
QUESTION = "emissions of ships in ports"
CRITERIA = """Relevant: measurements of what ships emit while they are in a port.

Not relevant: models without measurements, ships at sea, and farming."""


def make_record(i: int, rng: random.Random) -> Record:
    """Return a made-up abstract; the first ones are about ships in ports."""
    is_relevant = i < N_RELEVANT
    is_near = i < 5 * N_RELEVANT
    subject = rng.choice(SUBJECTS if is_near else OTHERS)
    place, other = rng.sample(PLACES, 2)
    what = "emissions of ships at berth" if is_relevant else "fuel costs at sea" if is_near else "harvests"
    how = (
        f"Nitrogen oxides and soot were measured on the quay for {rng.randint(3, 20)} months"
        if is_relevant
        else f"A model of {rng.randint(20, 90)} variables was fitted to {rng.randint(2, 30)} years of records"
    )
    share = f"{rng.randint(4, 48)} percent (95% interval {rng.randint(1, 4)} to {rng.randint(49, 70)})"
    season = rng.choice(["winter", "summer", "spring"])
    text = (
        f"BACKGROUND: Little is known about {subject} and {what} near {place}. "
        f"METHODS: {how}, and compared with {other}. "
        f"RESULTS: With {subject}, {what} fell by {share}. The difference was largest in {season}. "
        f"CONCLUSIONS: {subject.capitalize()} deserves a wider trial, in {other} as well as in {place}."
    )
    title = (
        f"{subject.capitalize()} and {what}: {rng.choice(['evidence', 'a study', 'lessons'])} from {place}"
    )
    fields = {
        "authors": f"{rng.choice('ABCDEFG')}. {rng.choice(['Lind', 'Moreau', 'Okafor', 'Sato'])}",
        "year": str(rng.randint(1995, 2024)),
        "journal": rng.choice(["Made-up Journal of Ports", "Made-up Annals"]),
        "keywords": f"{subject}; {place}",
    }
    return Record(str(i), title, text, fields)


def make_project(path: Path) -> None:
    """Write a project of made-up abstracts."""
    rng = random.Random(0)
    records = [make_record(i, rng) for i in range(N_RECORDS)]
    rng.shuffle(records)
    with open_store(path) as store:
        with store.importing("made up") as batch:
            batch.add(records)
        store.update_project(
            name="Ships in ports", question=QUESTION, criteria=CRITERIA, highlights=["berth", "quay"]
        )
        for reason in ("no measurements", "wrong subject", "not in English"):
            store.add_tag(reason, "exclusion reason")


def ask(address: str, path: str, values: Any = None) -> Any:
    """Ask the server as a program would."""
    body = None if values is None else json.dumps(values).encode()
    request = urllib.request.Request(address + path, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def is_wanted(shown: Any) -> bool:
    """Return whether the item before the reviewer is one of the relevant ones."""
    return "Nitrogen oxides" in re.sub(r"<[^>]*>", "", shown["html"])


def label(address: str, n_labels: int) -> None:
    """Answer as somebody would who knows what is relevant."""
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
    """Serve a made-up project, label, and take the pictures."""
    home = TemporaryDirectory()
    project = Path(home.name) / "ports.db"
    make_project(project)
    command = [sys.executable, "-m", "lopsided", "serve", str(project), "--port", "0", "--json"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = json.loads(server.stdout.readline())["address"]
    try:
        with sync_playwright() as player:
            browser = player.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
            for name, size in (
                ("screen", (1080, 680)),
                ("progress", (1080, 860)),
            ):
                label(address, N_LABELS[name])
                context = browser.new_context(
                    viewport={"width": size[0], "height": size[1]},
                    color_scheme="dark" if name == "progress" else "light",
                )
                page = context.new_page()
                page.goto(address + name)
                page.wait_for_timeout(400)
                picture = Image.open(BytesIO(page.screenshot()))
                picture.convert("RGB").quantize(96).save(folder / f"{name}.png", optimize=True)
                context.close()
            browser.close()
    finally:
        server.terminate()
        server.wait()
        home.cleanup()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
