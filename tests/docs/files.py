"""What a page's programs can import."""

from __future__ import annotations

from shapescript.importing.files import Files
from shapescript_check.modules.files import Found
from tests.check.files import InMemory
from tests.docs.pages import Page, file_name
from tests.language.specifications import program_of


class PageFiles:
    """Finds the files that a page names above a line of it, and the standard library's."""

    def __init__(self, page: Page, line: int) -> None:
        texts = {
            name: program_of(page.path.stem, fence).text
            for fence in page.fences
            if fence.at < line and (name := file_name(fence)) is not None
        }
        self._page = InMemory(texts)
        self._installed = Files([])

    def find(self, module: str, importing: str) -> Found | str | None:
        return self._page.find(module, importing) or self._installed.find(module, importing)
