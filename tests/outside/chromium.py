"""Helpers that the tests in a real Chromium share."""

import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]

# Rendering is slow on a machine that runs other tests.
expect.set_options(timeout=60_000)


@contextmanager
def chromium(**options):
    """Starts Chromium. Without it, the script prints a notice and passes, or fails if LEADAPI_REQUIRE_CHROMIUM=1."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        if os.environ.get("LEADAPI_REQUIRE_CHROMIUM"):
            sys.exit("chromium not found")
        print("chromium not found: the pages are not tested")
        sys.exit()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, headless=True, args=FLAGS, **options)
        yield browser
        browser.close()


def picture(page, name: str, **options) -> None:
    """Saves a screenshot in the directory LEADAPI_SCREENSHOTS, if it is set."""
    directory = os.environ.get("LEADAPI_SCREENSHOTS")
    if directory:
        page.screenshot(path=Path(directory) / f"{name}.png", **options)


def resize(page, width: int, scheme: str) -> None:
    """Sets the width and the color scheme, and checks that the page does not scroll horizontally."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)
    across = page.evaluate("document.documentElement.scrollWidth")
    assert across <= width, f"{page.url}: at {width} pixels the page is {across} wide"


CONTRASTS = """() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).slice(0, 3).map((of) => of / 255)
      .map((of) => (of <= 0.04045 ? of / 12.92 : ((of + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const isOpaque = (colour) => (channels(colour)[3] ?? 1) === 1;
  const behind = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return isOpaque(colour) ? colour : behind(element.parentElement);
  };
  return [...document.querySelectorAll("input:not([type=hidden]), select, textarea")].map((field) => {
    const name = `${field.closest("[id]").id} ${field.name || field.ariaLabel || field.id}`;
    const style = getComputedStyle(field);
    const border = Math.min(contrast(style.borderTopColor, behind(field)), contrast(style.borderTopColor, behind(field.parentElement)));
    const placeholder = field.placeholder ? contrast(getComputedStyle(field, "::placeholder").color, behind(field)) : null;
    return { name, border, placeholder };
  });
}"""


def contrasts(page) -> list[dict]:
    """Returns the contrast of the border and the placeholder of each field.

    Checks that borders meet WCAG 2.2, 1.4.11, and placeholders 1.4.3, because axe checks neither.
    """
    fields = page.evaluate(CONTRASTS)
    borders = [field for field in fields if field["border"] < 3]
    placeholders = [field for field in fields if field["placeholder"] and field["placeholder"] < 4.5]
    assert not borders, f"{page.url}: borders below 3:1: {borders}"
    assert not placeholders, f"{page.url}: placeholders below 4.5:1: {placeholders}"
    return fields
