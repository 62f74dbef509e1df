"""The page in a browser: everything is clicked, nothing is fetched, nothing sticks out."""

import pytest

from coset.report import render, render_index, render_matrix, render_verification, snippet

THEMES = ["light", "dark"]
KINDS = ["full", "wide", "small", "several", "none", "unrelated", "undetermined", "few labels",
         "huge", "minimal", "nones", "hostile"]  # fmt: skip
WIDTHS = [360, 620, 820, 1180]

# Texts of a picture that leave it or run into one another, by more than two pixels.
CLASHES = """() => {
  const found = [];
  for (const svg of document.querySelectorAll(".c-svg")) {
    const frame = svg.getBoundingClientRect();
    if (frame.width === 0) continue;
    const boxes = [...svg.querySelectorAll("text")].filter(t => t.textContent.trim()).map(text =>
      [text.textContent, text.getBoundingClientRect()]);
    boxes.forEach(([text, box], i) => {
      if (box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2
          || box.bottom > frame.bottom + 2) found.push("outside: " + text);
      for (const [other, that] of boxes.slice(i + 1)) {
        const across = Math.min(box.right, that.right) - Math.max(box.left, that.left);
        const down = Math.min(box.bottom, that.bottom) - Math.max(box.top, that.top);
        if (across > 2 && down > 4) found.push(`${text} over ${other}`);
      }
    });
  }
  return found;
}"""

# Contrast of every visible text with what lies behind it (WCAG 2, AA: 4.5, or 3 for large text).
FAINT = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const parse = (colour) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const over = (top, under, a) => top.slice(0, 3).map((v, i) => v * a + under[i] * (1 - a));
  const behind = (node) => {
    const cell = node.closest && node.closest(".c-cells > g");
    if (cell) return parse(getComputedStyle(cell.querySelector("rect")).fill);
    for (let at = node; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0.99) return colour;
    }
    return [255, 255, 255, 1];
  };
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode.parentElement;
    if (!walk.currentNode.textContent.trim() || !node.checkVisibility()) continue;
    if (node.closest("script, style, .skip, .unseen, option")) continue;
    const style = getComputedStyle(node);
    const ink = parse(node.closest("svg") ? style.fill : style.color);
    let alpha = ink[3];
    for (let at = node; at; at = at.parentElement) alpha *= getComputedStyle(at).opacity;
    const ground = behind(node);
    const [one, two] = [light(over(ink, ground, alpha)), light(ground)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    const ratio = (one + 0.05) / (two + 0.05);
    if (ratio < (large ? 3 : 4.5)) {
      found.push(`${ratio.toFixed(2)} ${node.tagName}.${node.getAttribute("class")}: `
        + walk.currentNode.textContent.trim().slice(0, 30));
    }
  }
  return found;
}"""


@pytest.fixture
def visit(browser, tmp_path):
    """Opens a page from a file; at the end there must have been no error and no request."""
    opened = []

    def go(html, *, theme="light", width=1180):
        path = tmp_path / f"{len(opened)}.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme,
            permissions=["clipboard-read", "clipboard-write"],
        )  # fmt: skip
        page = context.new_page()
        trouble = []
        page.on("console", lambda m: trouble.append(f"console: {m.text}"))
        page.on("pageerror", lambda e: trouble.append(f"error: {e}"))
        page.on("dialog", lambda d: (trouble.append(f"dialog: {d.message}"), d.dismiss()))
        page.on("request", lambda r: r.url == path.as_uri() or trouble.append(f"asked: {r.url}"))
        page.goto(path.as_uri())
        opened.append((context, trouble))
        return page

    yield go
    for context, trouble in opened:
        context.close()
        assert trouble == []


def fits(page):
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def click_everything(page):
    for button in page.locator("button:visible").all():
        button.click()
        assert fits(page)
    for summary in page.locator("summary").all():
        if summary.is_visible():  # a fold within a closed one is not
            summary.click()
    for choice in page.locator("select:visible").all():
        for value in choice.locator("option").evaluate_all("found => found.map(o => o.value)"):
            choice.select_option(value)
    assert fits(page)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("kind", ["full", "small", "undetermined", "minimal", "nones", "hostile"])
def test_everything_can_be_clicked_on_a_phone(visit, kinds, kind, theme):
    page = visit(render(kinds[kind]), theme=theme, width=360)
    assert fits(page)
    click_everything(page)
    click_everything(page)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_labels_stay_inside_and_apart(visit, kinds, kind, width):
    page = visit(render(kinds[kind]), width=width)
    assert fits(page)
    assert page.evaluate(CLASHES) == []


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(
    "kind", ["full", "several", "none", "unrelated", "undetermined", "small", "few labels"]
)
def test_text_can_be_read(visit, kinds, kind, theme):
    page = visit(render(kinds[kind]), theme=theme)
    page.locator("summary").click()
    assert page.evaluate(FAINT) == []
    page.locator("[data-all-tables]").click()
    assert page.evaluate(FAINT) == []


def test_theme_follows_the_system_and_the_button(visit, kinds):
    page = visit(render(kinds["full"]), theme="dark")
    shade = "getComputedStyle(document.body).backgroundColor"
    button = page.locator("[data-theme-toggle]")
    dark = page.evaluate(shade)
    assert button.text_content() == "Light"
    button.click()
    assert page.evaluate(shade) != dark
    assert button.text_content() == "Dark"
    page.reload()
    assert button.text_content() == "Dark"
    page.emulate_media(media="print")
    assert page.evaluate(shade) != dark


def test_charts_become_tables_and_charts_again(visit, kinds):
    page = visit(render(kinds["full"]))
    figure = page.locator("#fig-ladder")
    assert not figure.locator("table").is_visible()
    figure.get_by_role("button").click()
    assert figure.locator("table").is_visible()
    assert not figure.locator("svg").first.is_visible()
    assert "holds, and no stricter one does" in figure.locator("table").text_content()
    page.locator("[data-all-tables]").click()
    assert page.locator("figure table:visible").count() == 6
    page.locator("[data-all-tables]").click()
    assert page.locator("figure table:visible").count() == 0


def test_marks_tell_their_numbers_to_pointer_and_keyboard(visit, kinds):
    page = visit(render(kinds["full"]))
    tip = page.locator("#tip")
    box = page.locator("#fig-correlations .wide .c-hit").nth(20)
    box.scroll_into_view_if_needed()
    place = box.bounding_box()
    page.mouse.move(place["x"] + 2, place["y"] + 40)
    assert "held out" in tip.text_content()
    page.mouse.move(2, 2)
    assert not tip.is_visible()

    page.locator("#fig-ladder [data-table]").focus()
    page.keyboard.press("Tab")
    assert tip.text_content().startswith("nonlinear")
    page.keyboard.press("ArrowDown")
    assert f"R² {kinds['full']['groups']['affine']['r2']:.3f}" in tip.text_content()
    page.keyboard.press("End")
    assert tip.text_content().startswith("identity")
    page.keyboard.press("Escape")
    assert not tip.is_visible()


def test_command_is_copied(visit, kinds):
    page = visit(render(kinds["full"]))
    button = page.locator("[data-copy]")
    button.click()
    page.wait_for_function("document.querySelector('[data-copy]').textContent === 'Copied'")
    assert page.evaluate("navigator.clipboard.readText()") == kinds["full"]["command"]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [360, 1180])
@pytest.mark.parametrize("kind", ["layers", "square", "deep", "hostile", "one", "nones"])
def test_matrix(visit, matrices, kind, width, theme):
    page = visit(render_matrix(matrices[kind]), theme=theme, width=width)
    assert fits(page)
    assert page.evaluate(CLASHES) == []
    assert page.evaluate(FAINT) == []
    click_everything(page)


def test_matrix_shows_the_measure_that_is_chosen(visit, matrices):
    page = visit(render_matrix(matrices["layers"]))
    cell = page.locator(".wide .c-cells > g").nth(3)
    before = (cell.get_attribute("class"), cell.text_content())
    page.locator("[data-measure]").select_option("pwcca")
    assert (cell.get_attribute("class"), cell.text_content()) != before
    assert page.locator("[data-measure-title]").text_content() == "PWCCA"
    cell.scroll_into_view_if_needed()
    cell.hover()
    told = page.locator("#tip").text_content().split("\n")
    assert told[0] == "run 1, layer 0 and run 2, layer 3"
    assert told[1] == f"PWCCA {matrices['layers']['other_measures']['pwcca'][0][3]:.3f}"
    assert told[2].startswith("CKA, debiased ")


@pytest.mark.parametrize("theme", THEMES)
def test_snippet_fits_a_narrow_cell(visit, kinds, theme):
    page = visit(f"<!doctype html><meta charset=utf-8><body>{snippet(kinds['full'])}", width=500,
                 theme=theme)  # fmt: skip
    assert fits(page)
    assert page.evaluate(CLASHES) == []


def test_page_is_whole_without_scripts(browser, kinds, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(render(kinds["full"]), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.locator("button:visible").count() == 0
    assert page.locator("figure table:visible").count() == 6
    context.close()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", ["all", "one", "wild", "single seed", "nones", "hostile", "empty"])
def test_verification(visit, verifications, kind, width, theme):
    page = visit(render_verification(verifications[kind]), theme=theme, width=width)
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert fits(page)
    assert page.evaluate(CLASHES) == []
    assert page.evaluate(FAINT) == []
    for button in page.locator("[data-all-tables]:visible").all():
        button.click()
    assert fits(page)
    assert page.evaluate(FAINT) == []


@pytest.mark.parametrize("width", [360, 1180])
def test_everything_on_a_verification_can_be_clicked(visit, verifications, width):
    page = visit(render_verification(verifications["all"]), width=width)
    click_everything(page)
    click_everything(page)


def test_a_link_unfolds_its_claim(visit, verifications):
    page = visit(render_verification(verifications["all"]))
    theorem = page.get_by_text("Codes are latents up to a linear map.")
    assert not theorem.is_visible()
    page.get_by_role("link", name="toy2020.line").click()
    page.wait_for_function("document.querySelector('.claim').open")
    assert theorem.is_visible()


def test_a_case_tells_its_numbers(visit, verifications):
    page = visit(render_verification(verifications["one"]))
    case = page.locator("#fig-claim-0-cases .wide .c-hit").nth(2)
    case.hover()
    told = page.locator("#tip").text_content()
    assert told.startswith("one axis only (control)\nr2_linear 0.42")
    assert "asked ≤ 0.9: fails, as it should\npublished 0.410\nuntrained 0.310" in told


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [360, 1180])
def test_index(visit, kinds, verifications, hostile_text, width, theme):
    entries = [("full.html", kinds["full"]), ("all.html", verifications["all"]),
               (hostile_text.replace("/", "") + ".html", kinds["hostile"])]  # fmt: skip
    page = visit(render_index(hostile_text, entries), theme=theme, width=width)
    assert fits(page)
    assert page.evaluate(FAINT) == []
    assert page.locator("main a").first.get_attribute("href") == "full.html"
