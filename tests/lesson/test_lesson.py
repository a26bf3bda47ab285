#!/usr/bin/env python3
"""The lesson in a real browser: test_lesson.py PROGRAM. Exit status 77: there is no browser.

Both languages must open at three widths without an error or a request, every widget must work by
pointer, finger and keyboard, and colours must have the contrast that WCAG 2.1 asks for (AA).
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
import browser  # noqa: E402

SKIP = 77
MAX_BYTES = 3 * 10**6
SMALL = ["--set", "n_train=256", "--set", "n_test=64", "--set", "n_probe=8", "--set", "n_embd=16",
         "--jobs", "2", "--threads", "2"]
WIDGETS = 15

# Text on each ground 4.5 to 1, lines and controls 3 to 1.
TEXT = ("ink", "muted", "link", "good", "bad")
GROUNDS = ("paper", "raised")
LINES = ("s0", "s1", "s2", "s3", "s4", "s5", "s6", "accent", "muted")


def check(condition, what):
    if not condition:
        sys.exit("failed: " + what)


def equal(found, expected, what):
    check(found == expected, "%s: expected %r, found %r" % (what, expected, found))


def wait(page, condition, what):
    """For what is drawn when its width is known, a moment later."""
    for attempt in range(100):
        if page.run("Boolean(%s)" % condition):
            return
        time.sleep(0.05)
    sys.exit("failed: " + what)


def make(program, out, *options):
    made = subprocess.run([program, "lesson", "symmetry", "--out", out, "--quiet", *SMALL, *options],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(made.returncode == 0, "the lesson is made: " + made.stderr)
    return made.stdout.strip()


# ---- colours ----

def luminance(colour):
    colour = colour.strip().lstrip("#")
    if len(colour) == 3:
        colour = "".join(2 * digit for digit in colour)
    parts = [int(colour[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def test_contrast(page):
    for dark in (False, True):
        page.dark(dark)
        names = set(TEXT + GROUNDS + LINES)
        colour = page.run("""(() => { const style = getComputedStyle(document.documentElement);
            return Object.fromEntries(%s.map(n => [n, style.getPropertyValue('--' + n)])); })()"""
                          % json.dumps(sorted(names)))
        for ground in GROUNDS:
            for least, group in ((4.5, TEXT), (3, LINES)):
                for name in group:
                    ratio = contrast(colour[name], colour[ground])
                    check(ratio >= least, "--%s on --%s has a contrast of %.2f %s" % (
                        name, ground, ratio, "in the dark" if dark else "by day"))
        check(contrast(colour["paper"], colour["accent"]) >= 4.5, "text on a pressed button")
    page.dark(False)


# ---- pointer and keyboard ----

def centre(page, selector):
    return page.run("""(() => { const node = document.querySelector(%s);
        node.scrollIntoView({block: 'center', behavior: 'instant'});
        const box = node.getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2]; })()""" % json.dumps(selector))


def mouse(page, kind, x, y):
    page.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1,
              buttons=0 if kind == "mouseReleased" else 1)


def click(page, selector):
    x, y = centre(page, selector)
    mouse(page, "mousePressed", x, y)
    mouse(page, "mouseReleased", x, y)


def drag(page, selector, dx, dy):
    x, y = centre(page, selector)
    mouse(page, "mousePressed", x, y)
    for part in (0.5, 1):
        mouse(page, "mouseMoved", x + part * dx, y + part * dy)
    mouse(page, "mouseReleased", x + dx, y + dy)


def finger(page, selector, dx, dy):
    x, y = centre(page, selector)
    page.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
    page.send("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x + dx, "y": y + dy}])
    page.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])


def focus(page, selector):
    check(page.run("(() => { const n = document.querySelector(%s); n.focus(); return "
                   "document.activeElement === n; })()" % json.dumps(selector)),
          selector + " takes the focus")


def press(page, text, root):
    page.run("[...document.querySelectorAll(%s)].find(b => b.textContent === %s).click()" % (
        json.dumps(root + " button"), json.dumps(text)))


def choose(page, selector, value):
    page.run("""(() => { const s = document.querySelector(%s); s.value = %s;
        s.dispatchEvent(new Event('change')); })()""" % (json.dumps(selector), json.dumps(value)))


def type_in(page, selector, value):
    page.run("""(() => { const i = document.querySelector(%s); i.value = %s;
        i.dispatchEvent(new Event('input')); })()""" % (json.dumps(selector), json.dumps(value)))


def count(page, selector):
    return page.run("document.querySelectorAll(%s).length" % json.dumps(selector))


def attribute(page, selector, name):
    return page.run("document.querySelector(%s).getAttribute('%s')" % (json.dumps(selector), name))


def text(page, selector):
    return page.run("document.querySelector(%s).textContent" % json.dumps(selector))


# ---- widgets ----

def test_products(page):
    root = "[data-widget=products]"
    says = root + " .follows"
    page.run("document.querySelectorAll('%s td[tabindex=\"0\"]')[3].setAttribute('id', 'score')" % root)
    focus(page, "#score")
    equal(text(page, says), "S(We, We) = 0·1 + 2·1 = 2", "the keyboard explains a score")
    page.key("ArrowRight")
    equal(text(page, says), "S(We, saw) = 0·0 + 2·1 = 2", "arrow keys move on")
    equal(count(page, root + " td.used"), 4, "the two rows of a product light up")
    equal(page.run("[...document.querySelectorAll('%s *')].filter(n => n.tabIndex >= 0).length" % root),
          12, "stops of the Tab key")
    height = page.run("document.querySelector('%s').getBoundingClientRect().height" % root)
    check(height < 740, "all steps on one screen, %d px" % height)
    choose(page, root + " select", "qk")
    check("S is symmetric" in text(page, root), "Q = K is symmetric")
    type_in(page, root + " input", 3)
    check("S is symmetric" in text(page, root), "and stays so whatever X is")
    focus(page, root + " td.edit input")
    for letter in "-2":
        page.send("Input.insertText", text=letter)
    equal(page.run("document.activeElement.value"), "-2", "a negative number is typed")
    page.key("ArrowDown")
    equal(page.run("document.activeElement.getAttribute('aria-label')"), "X saw, 1",
          "arrow keys move in a table that is edited")


def gram(page, name):
    return float(page.run("document.querySelector('[data-widget=gram]').dataset." + name))


def test_gram(page):
    root = "[data-widget=gram]"
    key = root + " .handle[aria-label^='Key %d']"
    before = attribute(page, key % 1, "aria-valuetext")
    focus(page, key % 1)
    page.key("ArrowLeft")
    equal((before, attribute(page, key % 1, "aria-valuetext")), ("(1.20, 0.40)", "(1.10, 0.40)"), "arrow keys move a key")
    chance = random.Random(1)
    for move in range(24):
        way = (finger, drag)[move % 2]
        way(page, key % (1 + move % 4), chance.uniform(-150, 150), chance.uniform(-150, 150))
        check(gram(page, "over") <= 1e-9, "no score passes its diagonal")
        equal(gram(page, "mutual"), 0, "nobody prefers each other")
        check(gram(page, "most") <= 1 + 1e-9, "two shares sum to at most 1")
    check(attribute(page, key % 2, "aria-valuetext") != "(0.50, 1.30)", "pointers move keys")
    press(page, "Start again", root)
    click(page, root + " input[type=checkbox]")
    check("✓" not in text(page, root + " .goals"), "no wish comes true by itself")
    press(page, "Move two queries for me", root)
    check(gram(page, "mutual") > 0 and gram(page, "over") > 0 and gram(page, "most") > 1,
          "with queries of their own it goes")
    equal(text(page, root + " .goals").count("✓"), 3, "and all wishes come true")
    click(page, root + " input[type=checkbox]")


def test_draw(page):
    root = "[data-widget=draw]"
    focus(page, root + " .cells button")
    for row in range(6):
        for step in range(5 if row == 0 else 1):
            page.key("ArrowRight" if row == 0 else "ArrowLeft")
        page.key("Enter")
        page.key("ArrowDown")
    press(page, "Check", root)
    check(text(page, root + " .says").startswith("Right. The map of Reverse is symmetric"),
          "Reverse drawn by keyboard, found " + text(page, root + " .says"))
    choose(page, root + " select", "shift")
    press(page, "Check", root)
    equal(text(page, root + " .says"), "Not yet. Rows that are empty: 6.", "nothing drawn yet")
    click(page, root + " .cells button")
    press(page, "Check", root)
    equal(text(page, root + " .says"), "Not yet. Cells too many (dashed): 1; rows that are empty: 5.",
          "a wrong cell is said")
    press(page, "Show", root)
    check("not symmetric" in text(page, root + " .says"), "Shift is not symmetric")


def test_trained(page):
    root = "[data-widget=trained]"
    equal(count(page, root + " .maps canvas"), 8, "the map that is needed and seven trained ones")
    focus(page, root + " input[type=range]")
    last = text(page, root + " output")
    page.key("ArrowLeft")
    check(text(page, root + " output") != last, "the slider goes back in time by keyboard")
    focus(page, root + " .maps canvas[tabindex]")
    page.key("ArrowRight")
    page.key("ArrowRight")
    check(text(page, root + " > .says").startswith("QKV: position 0 gives"), "values by keyboard")
    page.run("document.querySelector('%s svg').scrollIntoView({block: 'center'})" % root)
    box = page.run("(() => { const b = document.querySelector('%s > div > svg').getBoundingClientRect();"
                   "return [b.left, b.top, b.width, b.height]; })()" % root)
    x, y = box[0] + 48, box[1] + box[3] / 2
    mouse(page, "mousePressed", x, y)
    mouse(page, "mouseReleased", x, y)
    equal(text(page, root + " output"), "after 0 steps", "a click on the curves goes there")
    page.run("document.querySelector('%s .play').click()" % root)
    page.run("document.querySelector('%s .play').click()" % root)
    choose(page, root + " select", "1")


def test_plus(page):
    root = "[data-widget=plus]"
    far = "Number(document.querySelector('%s').dataset.far)" % root
    check(page.run(far) > 0.01, "the sliders begin elsewhere")
    press(page, "Set the sliders for me", root)
    check(page.run(far) < 1e-12, "the scale alone")
    choose(page, root + " select", "1")
    check(page.run(far) > 0.02, "the key bias comes second")
    press(page, "Set the sliders for me", root)
    check(page.run(far) < 1e-12, "scale and key bias are the +")
    focus(page, root + " input[type=range]")
    page.key("ArrowRight")
    check(page.run(far) > 1e-6, "the slider answers to the keyboard")
    press(page, "Other weights w", root)
    press(page, "Set the sliders for me", root)
    check(page.run(far) < 1e-12, "for other weights, too")
    press(page, "Set them for Shift", "[data-widget=relative]")
    share = float(text(page, "[data-widget=relative] .says").rstrip(".").split(" ")[-1])
    check(share > 0.8, "the relative term draws a shift")


def test_cache(program, page):
    root = "[data-widget=cache]"
    for model, context in (("300m", 32000), ("1.2b", 8000)):
        choose(page, root + " select", model)
        type_in(page, root + " [data-size=context]", context)
        shown = page.run("""Object.fromEntries([...document.querySelectorAll('%s [data-variant]')]
            .map(r => [r.dataset.variant, Number(r.dataset.bytes)]))""" % root)
        options = [word for name in shown for word in ("--variant", name)]
        table = json.loads(subprocess.run([program, "cost", model, "--context", str(context), "--format",
                                           "json", *options], stdout=subprocess.PIPE, check=True).stdout)
        rows = table if isinstance(table, list) else table["rows"]
        equal(len(rows), len(shown), "rows of cost and of the page")
        for row in rows:
            per_token = next(row[key] for key in row if "token" in key)
            equal(shown[row.get("variant", row.get("id"))], per_token * context,
                  "the cache of %s" % row)
    for heads, n_row in (("3", 0), ("16", len(shown))):
        type_in(page, root + " [data-size=n_head]", heads)
        equal(count(page, root + " [data-variant]"), n_row, "rows with %s heads" % heads)
    choose(page, root + " select", "300m")
    check("(2 × 1024 × 20 × 2 bytes)" in text(page, root + " .says"), "the product is said")


def test_seeds(page):
    wait(page, "document.querySelectorAll('[data-widget=seeds] circle').length === 7 * 8",
         "eight seeds of seven variants")
    wait(page, "document.querySelectorAll('[data-widget=pairs] circle').length === 6 * 8",
         "pairs of six variants")
    choose(page, "[data-widget=pairs] .baseline select", "1")
    wait(page, "document.querySelectorAll('[data-widget=pairs] circle').length === 6 * 8",
         "another baseline")
    wait(page, "document.querySelector('[data-widget=pairs] .axistext').textContent.includes('that of Q=K,')",
         "and its name")
    choose(page, "[data-widget=pairs] select", "1")
    wait(page, "document.querySelectorAll('[data-widget=pairs] circle').length === 9 * 8",
         "on Shift, the score terms, too")
    check("scale + relative" in text(page, "[data-widget=pairs] .baseline"), "and by what they have")
    check(len(text(page, "[data-widget=mislead]")) > 80, "what was searched for is said")
    equal(count(page, "[data-widget=published] tbody tr"), 7, "published rows")


def test_page(page):
    page.run("document.getElementById('answers').click()")
    check(page.run("[...document.querySelectorAll('details.answer')].every(d => d.open)"),
          "all answers open")
    page.run("document.getElementById('answers').click()")
    page.run("document.getElementById('theme').click()")
    page.run("document.getElementById('theme').click()")
    equal(page.run("document.documentElement.dataset.theme"), "dark", "the theme by its button")
    page.run("document.getElementById('theme').click()")
    focus(page, "[data-widget=draw] .cells button")
    page.key("ArrowRight")
    check(page.run("getComputedStyle(document.activeElement).outlineStyle") == "solid",
          "the focus is seen")
    check(page.pdf().startswith(b"%PDF"), "the page prints")


def test_names(page):
    """Whatever can be operated has a name for those who cannot see it."""
    operated = {"slider", "button", "combobox", "checkbox", "spinbutton", "link", "textbox"}
    nodes = page.send("Accessibility.getFullAXTree")["nodes"]
    found = [node for node in nodes if not node["ignored"] and node["role"]["value"] in operated]
    check(len([node for node in found if node["role"]["value"] == "slider"]) >= 8, "sliders are found")
    for node in found:
        check(node.get("name", {}).get("value", "").strip(), "a %s has no name" % node["role"]["value"])


def test_current_part(page):
    page.run("document.getElementById('part4').scrollIntoView({behavior: 'instant'})")
    wait(page, "document.querySelector('nav a[aria-current]') && "
         "document.querySelector('nav a[aria-current]').hash === '#part4'", "the part that is read")
    equal(count(page, "nav a[aria-current]"), 1, "one current part")


def test_phone(page):
    """What explains a cell must not cover it."""
    page.size(360, 740, phone=True)
    click(page, "[data-widget=products] .products:nth-of-type(3) td[tabindex='0']")
    place = page.run("""(() => { const box = n => n.getBoundingClientRect();
        const root = document.querySelector('[data-widget=products]');
        return [box(root.querySelector('td.now')).bottom, box(root.querySelector('.follows')).top]; })()""")
    check(place[0] <= place[1], "the explanation is below the cell: %r" % place)
    page.size(1280, 900)


# What the runs are made to say, and what the page must then say of them.
FINDINGS = (
    ({"qk": 0.5, "qk+": 0.9, "temperature": 0.9, "key_bias": 0.5, "relative": 0.91,
      "qkv_tied": 0.24}, "scale", "same"),
    ({"qk": 0.5, "qk+": 0.9, "temperature": 0.5, "key_bias": 0.9, "relative": 0.5,
      "kv": 0.9949}, "bias", "less"),
    ({"qk": 0.5, "qk+": 0.9, "temperature": 0.7, "key_bias": 0.7, "relative": 1.0}, "both", "more"),
    ({"qk": 0.5, "qk+": 0.51, "temperature": 0.9, "key_bias": 0.5, "relative": 0.51}, "none", "same"))


def test_findings(page, path):
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    begin = whole.index('id="data">') + len('id="data">')
    end = whole.index("</script>", begin)
    other = path.replace(".html", "-other.html")
    for accuracy, part, direction in FINDINGS:
        data = json.loads(whole[begin:end])
        for run in data["runs"]:
            name = re.sub(".*score_term=", "", data["variants"][run["variant"]]["id"])
            run["accuracy"] = accuracy.get(name, 0.995)
        with open(other, "w", encoding="utf-8") as file:
            file.write(whole[:begin] + json.dumps(data).replace("<", "\\u003c") + whole[end:])
        page.open(other)
        equal(page.run("Object.assign({}, document.querySelector('[data-widget=terms] .finding').dataset)"),
              {"part": part, "direction": direction}, "what %r shows" % accuracy)
        equal(page.run("document.querySelector('[data-widget=sharing] .finding').dataset.finding"),
              "ceiling", "K = V and QKV at the ceiling")
        equal("a small p is not a large effect" in text(page, "[data-widget=sharing]").lower(),
              "kv" in accuracy, "a tiny difference in every seed")
        choose(page, "[data-widget=trained] select", "1")
        equal("the row's most frequent digit" in page.run(
            "document.querySelector('[data-widget=trained]').innerText"), "qkv_tied" in accuracy,
              "an accuracy that counting digits has, too")
        check("Q=K is above QKV in the columns: paper; below in: reproduction" in
              text(page, "[data-widget=published]"), "the order of the published columns")
    return other


def test_widths(page, path, language):
    for width, height in ((360, 740), (1280, 900), (1920, 1080)):
        page.size(width, height, phone=width < 500)
        page.open(path)
        equal(page.run("document.documentElement.dataset.ready"), "yes", "the script ended")
        equal(page.run("document.documentElement.lang"), language, "the language")
        equal(page.run("[...document.querySelectorAll('[data-widget]')].filter(w => w.textContent)"
                       ".length"), WIDGETS, "widgets that say something")
        wide = page.run("document.documentElement.scrollWidth")
        check(wide <= width, "%s: the page is %d px wide on %d" % (language, wide, width))


def test_slides(out, language):
    folder = out + "/lesson/slides"
    names = sorted(os.listdir(folder))
    equal(len(names), 6, "slides")
    for name in names:
        with open(folder + "/" + name, "rb") as file:
            head = file.read(24)
        size = [int.from_bytes(head[i:i + 4], "big") for i in (16, 20)]
        equal(size, [1920, 1080], "the size of " + name)
    check(all(name.startswith(language + "-") for name in names), "names of slides")


def test_all(program, page, out):
    page.dark(False)
    english = make(program, out, "--slides")
    korean = make(program, out, "--lang", "ko")
    equal(os.path.basename(korean), "symmetry.ko.html", "the name of a language's page")
    test_slides(out, "en")
    for path in (english, korean):
        check(os.path.getsize(path) < MAX_BYTES, "%s has %d bytes" % (path, os.path.getsize(path)))
    test_widths(page, korean, "ko")
    test_widths(page, english, "en")
    page.size(1280, 900)
    page.open(english)
    test_contrast(page)
    test_cache(program, page)
    for test in (test_names, test_products, test_gram, test_draw, test_trained, test_plus, test_seeds,
                 test_page, test_current_part, test_phone):
        test(page)
    other = test_findings(page, english)
    urls = {"file://" + os.path.realpath(path) for path in (english, korean, other)}
    equal({url.split("#")[0] for url in page.requests}, urls, "what the pages ask for")
    equal(page.problems, [], "errors of the console")


def main():
    if not browser.find():
        print("skipped: there is no chromium to open the lesson with")
        sys.exit(SKIP)
    page = browser.Browser()
    try:
        with tempfile.TemporaryDirectory(prefix="qkvlab-lesson-") as out:
            test_all(os.path.abspath(sys.argv[1]), page, out)
    finally:
        page.close()
    print("lesson: fine")


if __name__ == "__main__":
    main()
