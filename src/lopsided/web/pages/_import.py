"""The import page: bring files, preview them, map their columns, and read them."""

import shutil
from copy import copy
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, UploadFile
from starlette.responses import RedirectResponse, Response

from lopsided.text import Roles
from lopsided.web._access import INTENDED, Asks
from lopsided.web._desk import Desk
from lopsided.web._errors import Trouble, wants_json
from lopsided.web._imports import Imports, guess_meaning
from lopsided.web._templates import render

router = APIRouter()
_SHOWN = 5  # rows of a preview


@router.get("/import")
def show_imports(request: Request, visitor: Asks) -> Response:
    """Show where to drop files, and what became of those that were brought."""
    desk: Desk = request.app.state.desk
    imports: Imports = request.app.state.imports
    labels = desk.store.labels()
    given = desk.store.given_labels()
    return render(
        request,
        "import",
        title="Import",
        visitor=visitor,
        # copies: the page shows one moment, and reloads itself only if it shows an import that is running
        uploads=[copy(upload) for upload in imports.all()],
        sources=desk.store.sources(),
        n_items=desk.store.n_items,
        labels=labels,
        given={value: (n, guess_meaning(value, labels)) for value, n in list(given.items())[:50]},
        accepted=desk.store.project.options.get("accepted", {}),
        settings=desk.store.project,
    )


@router.post("/import/upload", dependencies=[INTENDED])
def take_files(request: Request, visitor: Asks, files: list[UploadFile]) -> Response:
    """Take files that were dropped or chosen."""
    imports: Imports = request.app.state.imports
    added = []
    for file in files:
        if not file.filename:
            continue
        path = imports.new_file()
        try:
            with path.open("wb") as target:
                shutil.copyfileobj(file.file, target, 2**20)
        except OSError:
            path.unlink(missing_ok=True)
            raise
        added.append(imports.add(path, Path(file.filename.replace("\\", "/")).name, is_copy=True))
    if not added:
        raise Trouble("No file was chosen. Choose one, or drop it on the page.", 422)
    return _lead_on(request, added)


@router.post("/import/path", dependencies=[INTENDED])
def take_path(request: Request, visitor: Asks, path: Annotated[str, Form(max_length=4096)]) -> Response:
    """Take a file or a folder of this machine, where only this machine can ask."""
    if not (request.app.state.is_local and visitor.is_admin):
        raise Trouble("Paths can only be imported while the page is served to this computer alone.", 403)
    place = Path(path.strip().strip("'\"")).expanduser()
    if not path.strip() or not place.exists():
        raise Trouble(
            f"There is no file or folder '{path.strip()}' on this computer. Check the spelling.", 404
        )
    imports: Imports = request.app.state.imports
    return _lead_on(request, [imports.add(place, place.name or str(place), is_copy=False)])


@router.get("/import/{id}")
def show_preview(request: Request, visitor: Asks, id: str) -> Response:
    """Show the first rows of a file, and which column is taken for what."""
    upload = request.app.state.imports.get(id)
    if upload.preview is None or upload.is_running or upload.state == "done":
        return RedirectResponse("/import", 303)
    return render(
        request,
        "preview",
        title=upload.name,
        visitor=visitor,
        upload=upload,
        preview=upload.preview,
        roles=upload.roles or upload.preview.roles,
        rows=upload.preview.rows[:_SHOWN],
    )


@router.post("/import/{id}", dependencies=[INTENDED])
def start_import(
    request: Request,
    visitor: Asks,
    id: str,
    text: Annotated[list[str], Form(default_factory=list)],
    title: Annotated[str, Form()] = "",
    key: Annotated[str, Form()] = "",
    label: Annotated[str, Form()] = "",
) -> Response:
    """Read a file with these columns."""
    imports: Imports = request.app.state.imports
    columns = set(getattr(imports.get(id).preview, "columns", ()))
    if unknown := [name for name in (title, key, label, *text) if name and name not in columns]:
        raise Trouble(f"The file has no column '{unknown[0]}'. Choose another one.", 422)
    if not title and not text:
        raise Trouble("No title or text column was chosen. Choose at least one.", 422)
    imports.start(id, Roles(title or None, tuple(text), key or None, label or None))
    return RedirectResponse("/import", 303)


@router.post("/import/{id}/stop", dependencies=[INTENDED])
def stop_import(request: Request, visitor: Asks, id: str) -> Response:
    """Interrupt the reading of a file."""
    request.app.state.imports.stop(id)
    return RedirectResponse("/import", 303)


@router.post("/import/{id}/drop", dependencies=[INTENDED])
def drop_upload(request: Request, visitor: Asks, id: str) -> Response:
    """Forget a file that was brought."""
    request.app.state.imports.drop(id)
    return RedirectResponse("/import", 303)


@router.post("/import-labels", dependencies=[INTENDED])
async def accept_labels(request: Request, visitor: Asks) -> Response:
    """Keep the labels that were in the files, as the form says what they mean."""
    form = await request.form()
    desk: Desk = request.app.state.desk
    known = {label.id for label in desk.store.labels()}
    meaning: dict[str, int] = {}
    for value, chosen in zip(form.getlist("value"), form.getlist("label"), strict=False):
        if isinstance(value, str) and isinstance(chosen, str) and chosen.isdecimal() and int(chosen) in known:
            meaning[value] = int(chosen)
    from starlette.concurrency import run_in_threadpool

    def accept() -> None:
        desk.store.accept_given(visitor.id, meaning)
        options = desk.store.project.options
        accepted = options.get("accepted", {}) | meaning
        desk.change(lambda: desk.store.update_project(options=options | {"accepted": accepted}))

    await run_in_threadpool(accept)
    return RedirectResponse("/import", 303)


def _lead_on(request: Request, uploads: list[Any]) -> Response:
    """Lead to the preview of a single file, or to the list of several."""
    good = [upload for upload in uploads if upload.preview is not None]
    address = f"/import/{good[0].id}" if len(uploads) == 1 and good else "/import"
    if wants_json(request):
        from starlette.responses import JSONResponse

        return JSONResponse({"ok": True, "next": address})
    return RedirectResponse(address, 303)
