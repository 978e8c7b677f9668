"""Opens the pages that `spi --chart` writes, steps through them, and checks what is to be seen."""

import pathlib
import subprocess
import sys

from driver import Browser

ROOT = pathlib.Path(__file__).resolve().parents[2]

VISIBLE = """
const shown = (e) => e.getClientRects().length > 0;
const texts = (s) => Array.from(document.querySelectorAll(s)).filter(shown).map((e) => e.innerText.trim());
return {
  where: document.getElementById('where').innerText,
  slider: document.getElementById('slider').value,
  step: texts('.step h3').join('|'),
  details: texts('.step').join('\\n'),
  start: texts('.start').length,
  known: texts('.known td:first-child'),
  fresh: texts('.known.fresh td:first-child'),
  future: document.querySelectorAll('#chart .row.future').length,
  now: document.querySelectorAll('#chart .row.now').length,
  active: Array.from(document.querySelectorAll('.line.active')).map((e) => Number(e.querySelector('.number').innerText)),
};
"""

FAILURES = []


def check(what, fine, seen=""):
    if not fine:
        FAILURES.append(f"{what}: {seen}")
        print(f"FAILED {what}: {seen}")


def spi(binary, out, *args):
    done = subprocess.run([binary, *map(str, args), "--chart", str(out), "-q"],
                          cwd=ROOT, capture_output=True, text=True)
    assert out.exists(), done.stderr
    return out


def quiet(browser, name):
    """Nothing was loaded, nothing went wrong."""
    log = [entry for entry in browser.log() if entry["level"] in ("SEVERE", "WARNING")]
    check(f"{name}: the console is silent", not log, log)
    loaded = browser.script("return performance.getEntriesByType('resource').map((e) => e.name)")
    check(f"{name}: nothing is loaded", not loaded, loaded)


def fits(browser, name):
    wide = browser.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    check(f"{name}: the page does not scroll sideways", wide <= 0, wide)


def contrast(browser, name):
    """Text on its ground, by the formula of WCAG 2: at least 4.5 to 1."""
    worst = browser.script("""
      const probe = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
      const rgb = (c) => { probe.clearRect(0, 0, 1, 1); probe.fillStyle = c; probe.fillRect(0, 0, 1, 1);
        return Array.from(probe.getImageData(0, 0, 1, 1).data); };
      const light = (c) => { const [r, g, b] = rgb(c).slice(0, 3).map((v) => { v /= 255;
        return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
      const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
        if (rgb(c)[3] > 200) return c; } return 'white'; };
      let worst = [99, ''];
      for (const e of document.querySelectorAll('h1, h2, h3, h4, p, td, th, li, label, output, button, .line, .verdict')) {
        if (!e.getClientRects().length || !e.innerText.trim()) continue;
        const r = ratio(getComputedStyle(e).color, ground(e));
        if (r < worst[0]) worst = [r, e.tagName + ' ' + e.innerText.slice(0, 30)];
      }
      const svg = getComputedStyle(document.querySelector('.msc .ground')).fill;
      for (const e of document.querySelectorAll('.msc text')) {
        const r = ratio(getComputedStyle(e).fill, svg);
        if (r < worst[0]) worst = [r, 'svg ' + e.textContent];
      }
      return worst;""")
    check(f"{name}: text can be read", worst[0] >= 4.5, worst)


def attack(browser, path, out):
    browser.resize(1300, 1000)
    browser.scheme("light")
    browser.open(path)
    quiet(browser, "attack")
    start = browser.script(VISIBLE)
    check("it opens at the start", start["where"] == "0 of 5" and start["future"] == 5, start)
    browser.press("end")
    end = browser.script(VISIBLE)
    check("End goes to the end", end["where"] == "5 of 5" and end["future"] == 0, end)
    check("the secret is known at the end", "Nb" in " ".join(end["fresh"]), end["fresh"])
    browser.press("home")
    start = browser.script(VISIBLE)
    check("Home goes to the start", start["slider"] == "0" and start["start"] == 1 and start["future"] == 5, start)
    check("the spy has its own key from the start", start["known"] == ["K(C)-"], start["known"])
    browser.press("right")
    first = browser.script(VISIBLE)
    check("the first step", first["step"] == "1. A → C" and first["now"] == 1, first)
    check("its lines are marked", 25 in first["active"], first["active"])
    check("what is new is marked", any("Na" in t for t in first["fresh"]), first["fresh"])
    browser.press("right")
    second = browser.script(VISIBLE)
    check("the forged message tells how it is built",
          "encrypts for B" in second["details"] and "builds {Na, A}K(B)+" in second["details"], second["details"])
    check("the check that accepts it is told", "B accepts" in second["details"], second["details"])
    check("both roles' lines are marked", set(second["active"]) >= {31}, second["active"])
    browser.script("document.getElementById('back').click()")
    check("the button goes back", browser.script(VISIBLE)["where"] == "1 of 5")
    browser.script("const s = document.getElementById('slider'); s.value = 4; s.dispatchEvent(new Event('input'))")
    check("the slider moves", browser.script(VISIBLE)["step"] == "4. C → A", browser.script(VISIBLE)["step"])
    browser.press("end")
    check("End goes to the end", browser.script(VISIBLE)["where"] == "5 of 5")
    browser.press("home")
    browser.press("tab")
    focus = browser.script("return document.activeElement.tagName")
    check("the controls can be reached with the keyboard", focus in ("BUTTON", "INPUT"), focus)
    names = browser.script("""return Array.from(document.querySelectorAll('button, input, svg, figure, pre')).filter(
        (e) => !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.labels && e.labels.length)).length""")
    check("everything has a name for a screen reader", names == 0, names)
    browser.press("right")
    browser.press("right")
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        contrast(browser, f"attack, {scheme}")
        fits(browser, f"attack, {scheme}")
        browser.picture(out / f"attack-{scheme}.png")
    browser.resize(420, 900)
    fits(browser, "attack, narrow")
    browser.picture(out / "attack-narrow.png")
    browser.resize(1000, 1300)
    browser.scheme("dark", media="print")
    all_steps = browser.script("return Array.from(document.querySelectorAll('.step')).filter((e) => e.getClientRects().length).length")
    check("print shows all steps", all_steps == 5, all_steps)
    contrast(browser, "attack, print")
    browser.picture(out / "attack-print.png")
    browser.scheme("light")


def comparison(browser, path, out):
    browser.resize(1300, 900)
    browser.open(path)
    quiet(browser, "comparison")
    text = browser.script("return document.body.innerText")
    check("both sides are told", "One(m1)" in text and "One(m2)" in text, text[:200])
    check("the first difference is marked", browser.script("return document.querySelectorAll('.flagged').length") == 1)
    check("the test is there as a process", "success<0>" in text, "")
    browser.press("home")
    browser.press("right")
    check("it can be stepped through", browser.script(VISIBLE)["now"] >= 1)
    for scheme in ("light", "dark"):
        browser.scheme(scheme)
        contrast(browser, f"comparison, {scheme}")
        browser.picture(out / f"comparison-{scheme}.png")
    browser.scheme("light")


def hostile(browser, path):
    browser.open(path)
    quiet(browser, "hostile")
    check("nothing of the source is markup",
          browser.script("return document.querySelectorAll('main b, main i, main img').length + (window.hacked ? 1 : 0)") == 0)
    text = browser.script("return document.body.innerText")
    check("the comment is shown as it is", "</script><b>bold</b><img src=x onerror=\"window.hacked=1\">" in text, text[-400:])
    check("the script still runs", browser.script(VISIBLE)["where"].endswith("of 1"), browser.script(VISIBLE)["where"])


def long(browser, path, out):
    browser.resize(1000, 2600)
    browser.open(path)
    quiet(browser, "thirty messages")
    check("thirty messages", browser.script("return document.querySelectorAll('.row .arrow').length") == 30)
    crowded = browser.script("""
      const boxes = Array.from(document.querySelectorAll('.msc .row .message')).map((e) => e.getBoundingClientRect());
      let worst = 0;
      boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => {
        const x = Math.min(a.right, b.right) - Math.max(a.left, b.left), y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (x > 1 && y > 4) worst++; }));
      return worst;""")
    check("no label covers another", crowded == 0, crowded)
    browser.picture(out / "thirty.png")
    browser.resize(1000, 700)
    browser.press("home")
    for _ in range(20):
        browser.press("right")
    seen = browser.script("""
      const row = document.querySelector('#chart .row.now').getBoundingClientRect();
      const heads = document.querySelector('.heads');
      return { top: row.top, bottom: row.bottom, height: innerHeight, heads: getComputedStyle(heads).visibility,
               over: heads.getBoundingClientRect().bottom, text: heads.textContent };""")
    check("the active step is on the screen", 0 <= seen["top"] and seen["bottom"] <= seen["height"], seen)
    check("the heads of the lanes stay", seen["heads"] == "visible" and seen["over"] <= seen["top"] + 1 and "P" in seen["text"], seen)
    browser.script("""window.copied = ''; document.addEventListener('copy', () => { window.copied = document.activeElement.value; });
      document.getElementById('copy').click();""")
    copied = browser.script("return window.copied")
    check("it is copied as a narration", copied.count("\n") == 30 and "->" in copied.split("\n")[0], copied[:200])


def main():
    binary, out = pathlib.Path(sys.argv[1]).resolve(), (ROOT / sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    lowe = spi(binary, out / "lowe.html", "check", "protocols/ns.spi", "--secrecy", "Nb")
    pair = spi(binary, out / "pair.html", "check", "protocols/papers/s3a-fig1.spi", "--system", "One")
    model = out / "a\"b'<i>&.spi"
    model.write_text(
        "// </script><b>bold</b><img src=x onerror=\"window.hacked=1\">\nagent A  channel net\n"
        "def P(a: Agent) = new N''b. net<N''b>. net(x). net<x>\nsystem S = P(A)\nsecrecy N''b in S\n")
    evil = spi(binary, out / "evil'\"<b>.html", "check", model)
    steps = ".\n  ".join(f"ab<a, {{b, {i}}}K(b)+, H(a, b, {i})>.\n  ba(x{i})" for i in range(15))
    back = ".\n  ".join(f"ab(y{i}).\n  ba<b, H(y{i})>" for i in range(15))
    many = out / "many.spi"
    many.write_text(f"agent A, B  channel ab, ba  keypair K(Agent)\n\ndef P(a: Agent, b: Agent) =\n  {steps}\n\n"
                    f"def Q(b: Agent) =\n  {back}\n\nsystem S = P(A, B) | Q(B)\n")
    thirty = spi(binary, out / "thirty.html", "run", many)
    browser = Browser()
    try:
        attack(browser, lowe, out)
        comparison(browser, pair, out)
        hostile(browser, evil)
        long(browser, thirty, out)
    finally:
        browser.close()
    if FAILURES:
        sys.exit(f"{len(FAILURES)} checks failed")
    print("pages: all checks passed; pictures in", out.relative_to(ROOT))


main()
