#!/usr/bin/env python3
"""report.html in a real browser: test_html.py PROGRAM SECONDS, the path of qkvlab and the processor
time a report over 3,240 runs may take. Exit status 77: there is no browser.

The page must render without an error at three widths, ask for nothing but itself, sort, filter, slide
and read values by pointer and keyboard, keep hostile texts as texts, and print.
"""
import base64
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import time

import browser
import make_sweep

SKIP = 77
MAX_BYTES = 20 * 10**6
DOTS, STRIP = 1, 2  # marks of a line


class Page:
    def __init__(self, chromium):
        self.browser = chromium
        self.run = chromium.run

    def check(self, condition, what):
        if not condition:
            sys.exit("failed: " + what)

    def equal(self, found, expected, what):
        self.check(found == expected, "%s: expected %r, found %r" % (what, expected, found))

    def wait(self, condition, what):
        for attempt in range(100):
            if self.run("Boolean(%s)" % condition):
                return
            time.sleep(0.05)
        sys.exit("failed: " + what)

    def texts(self, selector):
        return self.run("[...document.querySelectorAll(%r)].map(e => e.textContent)" % selector)

    def column(self, table, title):
        return self.run("""(() => {
            const table = document.querySelector('[data-table="%s"] table');
            const titles = [...table.tHead.rows[0].cells].map(c => c.textContent);
            return [...table.tBodies[0].rows].map(r => r.cells[titles.indexOf('%s')].textContent);
        })()""" % (table, title))

    def focus_header(self, table, title):
        self.run("""[...document.querySelectorAll('[data-table="%s"] thead button')]
            .find(b => b.textContent === '%s').focus()""" % (table, title))

    def sort_state(self, table, title):
        return self.run("""[...document.querySelectorAll('[data-table="%s"] thead th')]
            .find(b => b.textContent === '%s').getAttribute('aria-sort')""" % (table, title))

    def choose(self, name, text):
        self.run("""(() => {
            const select = document.querySelector('#filter [name="%s"]');
            select.value = [...select.options].find(o => o.textContent === '%s').value;
            select.dispatchEvent(new Event('change'));
        })()""" % (name, text))

    def clear_filter(self):
        self.run("[...document.querySelectorAll('#filter button')]"
                 ".find(b => b.textContent === 'Clear').click()")

    def search(self, text):
        """Types a text into the filter and waits until the page has heard of it."""
        self.run("""new Promise(done => { const t = document.querySelector('#filter [name="text"]');
            t.value = '%s'; t.dispatchEvent(new Event('input')); setTimeout(done, 300); })""" % text)

    def control(self, section, label):
        return "[...document.querySelectorAll('#%s .controls label')].find(label => " \
               "label.textContent.startsWith('%s')).querySelector('select, input')" % (section, label)

    def options(self, section, label):
        return self.run("[...%s.options].map(o => o.textContent)" % self.control(section, label))

    def chosen(self, section, label):
        return self.run("%s.selectedOptions[0].textContent" % self.control(section, label))

    def pick(self, section, label, i):
        self.run("(() => { const s = %s; s.selectedIndex = %d; s.dispatchEvent(new Event('change')); })()"
                 % (self.control(section, label), i))

    def panels(self, section):
        return self.texts("#%s .panel figcaption span" % section)


def test_sections(page):
    page.equal(page.texts("nav a"), [
        "What it says", "What was run", "Accuracy", "Dynamics", "Maps", "Comparisons", "Scaling",
        "Curves", "Published", "Images", "Left out", "Runs", "LaTeX", "Files"], "the sections")
    page.check(any("falls short of QKV on Reverse" in text for text in page.texts("#findings li")),
               "the findings of report.md are there")


def test_sorting(page):
    table = "Token accuracy by variant and task"
    page.focus_header(table, "Reverse")
    page.browser.key("Enter")
    page.equal(page.sort_state(table, "Reverse"), "descending", "Enter sorts from the highest")
    values = [float(text.split(" ")[0]) for text in page.column(table, "Reverse")]
    page.equal(values, sorted(values, reverse=True), "the order of the column")
    page.browser.key("Enter")
    page.equal(page.sort_state(table, "Reverse"), "ascending", "the header keeps the focus")
    values = [float(text.split(" ")[0]) for text in page.column(table, "Reverse")]
    page.equal(values, sorted(values), "the order turned round")


def test_filter(page):
    page.choose("variant", "K=V")
    page.equal(set(page.column("Runs", "variant")), {"K=V"}, "the runs of one variant")
    page.run("""(() => { const s = document.querySelector('#filter [name="d"]'); s.value = '32';
        s.dispatchEvent(new Event('change')); })()""")
    page.equal(set(page.column("Token accuracy by variant and task", "d")), {"32"}, "one width")
    page.clear_filter()
    page.search("diverged")
    page.wait("document.querySelectorAll('#runs tbody tr').length < 10", "a text narrows the runs")
    page.equal(set(page.column("Runs", "state")), {"diverged"}, "a text finds runs by their state")
    page.clear_filter()


def test_filter_of_views(page):
    """Rows, columns and choices are those of the runs that the filter leaves."""
    table = "Token accuracy by variant and task"
    settings = page.options("curves", "Setting")
    page.search("reverse")
    page.equal(len(page.column(table, "Reverse")), 12, "rows that have a task that the text names")
    page.equal([title for title in page.texts("[data-table='%s'] thead th" % table)],
               ["variant", "d", "Reverse", "parameters"], "columns of tasks that are left")
    page.equal(page.panels("curves"), ["Reverse"], "panels of tasks that are left")
    page.clear_filter()
    page.choose("task", "MNIST")
    page.equal(page.panels("curves"), ["MNIST", "test top-1", "training top-1", "test loss",
                                       "training loss"], "the curves of a data set")
    page.equal(page.run("document.querySelectorAll('#maps select, #maps canvas').length"), 0,
               "no maps of settings that are not left")
    page.equal(page.texts("#maps .muted"), ["Nothing matches the filter."], "which is said")
    page.clear_filter()
    page.equal(page.options("curves", "Setting"), settings, "all settings are there again")


def test_what_is_kept(page):
    """What a reader chose stays while what it applies to is changed."""
    table = "Token accuracy by variant and task"
    page.run("%s.click()" % page.control("curves", "Log y"))
    page.pick("curves", "Setting", 1)
    page.check(page.run("%s.checked" % page.control("curves", "Log y")), "a log axis in a setting")
    page.pick("curves", "Show", 1)
    page.check(page.run("%s.checked" % page.control("curves", "Log y")), "a log axis of a curve")
    page.pick("curves", "Setting", 0)
    page.equal(page.chosen("curves", "Show"), "training accuracy", "the curve in a setting")
    page.pick("curves", "Show", 0)
    page.run("%s.click()" % page.control("curves", "Log y"))
    page.focus_header(table, "Sort")
    page.browser.key("Enter")
    page.pick("accuracy", "Measure", 1)
    other = page.chosen("accuracy", "Measure") + " by variant and task"
    page.check(other != table, "each measure's table has a name of its own")
    page.equal(page.run("document.querySelector('#accuracy .choice .scroll').ariaLabel"), other,
               "the name of a table for those who do not see it")
    page.equal(page.sort_state(other, "Sort"), "descending", "the sorted column")
    page.pick("accuracy", "Measure", 0)


def test_same_titles(page, program):
    """Settings of one title are told apart, and a choice among them is not lost by the filter."""
    with tempfile.TemporaryDirectory(prefix="qkvlab-html-") as out:
        os.makedirs(out + "/runs")
        for task, learning_rate in (("reverse", 0.001), ("sort", 0.001), ("sort", 0.01)):
            make_sweep.write_run(out, task, "qkv", 0, 64, 2, 2, 16, learning_rate=learning_rate)
        subprocess.run([program, "report", out], check=True, stdout=subprocess.DEVNULL)
        page.browser.open(out + "/report/report.html")
        first, second = page.options("curves", "Setting")
        page.check(first != second, "two settings of one title: %s" % first)
        of_one = page.options("curves", "Setting").index(
            next(name for i, name in enumerate((first, second))
                 if page.pick("curves", "Setting", i) or page.panels("curves") == ["Sort"]))
        page.pick("curves", "Setting", of_one)
        name = page.chosen("curves", "Setting")
        page.choose("task", "Reverse")
        page.equal(page.panels("curves"), ["Reverse"], "the setting that is left")
        page.clear_filter()
        page.equal(page.chosen("curves", "Setting"), name, "the choice is there again")
        page.equal(page.panels("curves"), ["Sort"], "and its curves are")


def test_numbers(page):
    """Numbers that were measured here open their runs and say what they rest on; others do not."""
    page.equal(page.run("""[...document.querySelectorAll('td a[href^="#runs"]')].filter(a =>
        /^\\d+$/.test(a.textContent) && !/ run/.test(a.title)).length"""), 0, "counts are no links")
    for title in ("parameters", "d"):
        page.equal(page.run("""(() => {
            const table = document.querySelector('#accuracy [data-table^="Token"] table');
            const i = [...table.tHead.rows[0].cells].findIndex(c => c.textContent === '%s');
            return [...table.tBodies[0].rows].filter(r => r.cells[i].querySelector('a')).length;
        })()""" % title), 0, title + " is not measured")
    linked, shown = page.run("""(() => { let linked = 0, shown = 0;
        document.querySelectorAll('#published table, #images table').forEach(table => {
            const heads = [...table.tHead.rows[0].cells].map(c =>
                /^published|reproduction|single run/.test(c.textContent));
            [...table.tBodies[0].rows].forEach(row => [...row.cells].forEach((cell, i) => {
                shown += heads[i] && /\\d/.test(cell.textContent);
                linked += heads[i] && cell.querySelector('a') ? 1 : 0; })); });
        return [linked, shown]; })()""")
    page.check(shown > 10, "published numbers are there: %d" % shown)
    page.equal(linked, 0, "published numbers open no runs")
    cell = page.run("""(() => { const a = document.querySelector('#accuracy [data-table^="Token"] td a');
        return [a.textContent, a.title]; })()""")
    page.check(re.fullmatch(r"3 runs, 0\.\d+ to (0\.\d+|1); opens the runs", cell[1]),
               "what a cell rests on: %s" % cell)


def test_files(page, folder):
    pictures = page.run("""[...document.querySelectorAll('#files a[href$=".png"]')]
        .map(a => a.getAttribute('href'))""")
    there = [name for name in os.listdir(folder) if name.endswith(".png")]
    page.equal(sorted(pictures), sorted(there), "the page links its pictures")


def test_links(page):
    page.run("document.querySelector('#accuracy td a[href*=\"task=\"][href*=\"setting=\"]').click()")
    page.wait("document.querySelectorAll('#runs tbody tr').length === 3", "a cell opens its runs")
    rows = page.column("Runs", "run folder")
    link = page.run("document.querySelector('#runs tbody th a').getAttribute('href')")
    page.equal(link, "../runs/%s/" % rows[0], "a run links to its folder")
    page.run("location.hash = '#runs'")
    page.wait("document.querySelectorAll('#runs tbody tr').length === 50", "all runs, in pages")


def test_curves(page):
    page.run("document.querySelector('#curves .plot').focus()")
    page.browser.key("ArrowRight")
    page.browser.key("ArrowRight")
    tip = page.run("document.querySelector('#curves .tip').textContent")
    page.check("step 1" in tip and "QKV 2.303" in tip, "arrow keys read values, found " + tip)
    page.run("document.querySelector('#curves .plot').scrollIntoView({block: 'center', "
             "behavior: 'instant'})")
    box = page.run("(() => { const b = document.querySelector('#curves .plot')"
                   ".getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
    page.browser.move(box[0] + box[2] / 2, box[1] + box[3] / 2)
    page.wait("document.querySelector('#curves .tip strong').textContent !== 'step 1'",
              "the pointer reads values, too")
    n_path = page.run("document.querySelectorAll('#curves .plot path').length")
    page.run("document.querySelector('#curves .legend button').click()")
    fewer = page.run("document.querySelectorAll('#curves .plot path').length")
    page.check(fewer < n_path, "the legend takes a variant away")
    page.run("document.querySelector('#curves .legend button').click()")
    page.run("""(() => { const s = [...document.querySelectorAll('#curves select')].pop();
        s.value = s.options[s.options.length - 1].value; s.dispatchEvent(new Event('change')); })()""")
    page.check("training accuracy" in page.run("document.querySelector('#curves .plot').textContent"),
               "the curves of accuracy")
    low = page.run("document.querySelector('#curves .plot .axis').textContent")
    page.run("document.querySelector('#curves .controls input').click()")
    page.check(page.run("document.querySelector('#curves .plot .axis').textContent") != low,
               "a log axis")


def floats(*values):
    return base64.b64encode(struct.pack("<%df" % len(values), *values)).decode()


def open_with_plot(page, path, plot):
    """Opens the page at path with one more section, which holds a plot."""
    with open(path) as file:
        begin, rest = file.read().split('id="data">')
    data, end = rest.split("</script>", 1)
    data = json.loads(data)
    data["blocks"].append({"k": "section", "note": "drawn", "t": "Drawn",
                           "b": [{"k": "plot", "t": "A plot", **plot}]})
    changed = path.replace("report.html", "drawn.html")
    with open(changed, "w") as file:
        file.write(begin + 'id="data">' + json.dumps(data).replace("<", "\\u003c") + "</script>" + end)
    page.browser.open(changed)
    os.remove(changed)


def places(page, selector, attribute):
    return page.run("[...document.querySelectorAll('#drawn %s')].map(e => Number(e.getAttribute('%s')))"
                    % (selector, attribute))


def test_plots(page, path):
    """What a plot of the document may have beside lines over steps."""
    line = {"t": "a", "v": 0, "m": DOTS, "f": 0, "y": floats(1, 2, 4, 3)}
    other = {"t": "b", "v": 1, "m": DOTS, "f": 0, "y": floats(2, 9, 2, 2),
             "one": [floats(1, 8, math.nan, 1)]}
    x = floats(1, 2, 10, 101)
    open_with_plot(page, path, {"share": True, "panels": [
        {"f": 0, "t": "first", "at": x, "x": {"t": "size"}, "y": {"low": -1, "sign": True},
         "rules": [{"at": 51, "v": True, "t": "half", "beside": True}], "lines": [line]},
        {"f": 0, "note": "a note", "at": x, "x": {"discrete": True}, "y": {"low": -1},
         "rules": [], "lines": [line, other]}]})
    x = places(page, ".panel:nth-child(1) circle", "cx")
    page.check(abs((x[2] - x[0]) / (x[3] - x[0]) - 0.09) < 0.01, "x as far apart as it is: %s" % x)
    rule = places(page, ".panel:nth-child(1) .chance", "x1") + places(
        page, ".panel:nth-child(1) .chance", "x2")
    page.check(rule[0] == rule[1] and abs(rule[0] - (x[0] + x[3]) / 2) < 1, "an upright rule: %s" % rule)
    page.check("half" in page.texts("#drawn .panel:nth-child(1) text"), "its title stands beside it")
    x = places(page, ".panel:nth-child(2) circle", "cx")[:4]
    page.check(max(abs(x[i + 1] - x[i] - x[1] + x[0]) for i in range(3)) < 0.1,
               "discrete x are equally far apart: %s" % x)
    page.equal(len(places(page, ".panel:nth-child(2) circle", "r")), 4 + 3 + 4, "dots of single values")
    first, second = (page.texts("#drawn .panel:nth-child(%d) .axis" % i) for i in (1, 2))
    page.equal((first[0], second[0]), ("0", "0"), "the first label of an axis that begins at -1")
    page.check("+8" in first and "8" in second, "one scale for all panels, %s, %s" % (first, second))
    page.check("a note" in second and "first" in page.texts("#drawn .panel:nth-child(2) figcaption")[0],
               "a note, and the title of the row")
    open_with_plot(page, path, {"one": "one run", "mean": "the mean", "panels": [
        {"f": 0, "x": {"t": "loss", "low": 0, "high": 4}, "y": {}, "at": floats(0),
         "rules": [{"at": 2, "v": True, "t": "chance"}], "lines": [
             {"t": "above", "v": 0, "m": STRIP, "f": 0, "y": floats(2), "one": [floats(1), floats(3)]},
             {"t": "below", "v": 1, "m": STRIP, "f": 0, "y": floats(4), "one": [floats(4)]}]}]})
    x, y = places(page, ".plot .ring", "cx"), places(page, ".plot .ring", "cy")
    rule = places(page, ".chance", "x1")[0]
    page.check(abs(rule - (x[0] + x[1]) / 2) < 0.1 and abs(x[2] - x[1] - (x[1] - rule)) < 0.1,
               "rings of single runs along x: %s" % x)
    page.check(y[2] > max(y[:2]) + 10, "a row a line: %s" % y)
    page.equal(page.texts("#drawn .mark"), ["one run", "the mean", "chance"], "what the marks are")
    page.run("document.querySelector('#drawn .plot').focus()")
    page.browser.key("ArrowRight")
    page.check("above 2 (1 to 3)" in page.texts("#drawn .tip")[0], "the values of a row")
    page.browser.open(path)


def test_early_curves(page, program):
    """Of runs that have only begun, the axis begins near their losses, and chance is on it."""
    with tempfile.TemporaryDirectory(prefix="qkvlab-html-") as out:
        os.makedirs(out + "/runs")
        n_step, make_sweep.N_STEP = make_sweep.N_STEP, 8
        make_sweep.write_run(out, "reverse", "qkv", 0, 64, 2, 2, 16, (8,))
        make_sweep.N_STEP = n_step
        subprocess.run([program, "report", out], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        page.browser.open(out + "/report/report.html")
        axis = page.run("[...document.querySelectorAll('#curves .plot .axis')].map(text => text.textContent)")
        page.check(2 <= float(axis[0]) < 2.303, "the axis begins at %s" % axis[0])


def test_maps(page):
    page.run("""(() => { const s = document.querySelector('#maps select'); s.value = '1';
        s.dispatchEvent(new Event('change')); })()""")
    steps = [text.split("step ")[1] for text in page.texts("#maps figcaption")]
    page.equal(set(steps), {"158"}, "the last snapshot first")
    page.run("""(() => { const s = document.querySelector('#maps input[data-dimension=\"step\"]'); s.value = 0;
        s.dispatchEvent(new Event('input')); })()""")
    page.check("step 0" in page.texts("#maps figcaption")[0], "the slider goes to the first")
    page.run("document.querySelector('#maps canvas:not(.bar-canvas)').focus()")
    page.browser.key("ArrowRight")
    page.browser.key("ArrowRight")
    text = page.run("document.querySelector('#maps .value').textContent")
    page.equal(text, "query position 0 \u2192 key position 1: p\u00a0=\u00a00.063", "a value of a flat map of 16")


def test_hostile(page):
    page.check(not page.run("window.escaped"), "no text of a run was executed")
    page.equal(page.run("document.images.length"), 0, "no text became an element")
    page.check(any(make_sweep.HOSTILE in text for text in page.texts("#left-out td")),
               "a message is shown as it is")


def test_widths(page, path):
    for width, height in ((360, 740), (1280, 900), (1920, 1080)):
        page.browser.size(width, height, phone=width < 500)
        page.browser.open(path)
        page.equal(page.run("document.documentElement.dataset.ready"), "yes", "the script ended")
        page.check(page.run("document.documentElement.scrollWidth") <= width,
                   "nothing is wider than %d px" % width)
        page.check(page.run("Math.max(...[...document.querySelectorAll('nav a')].map("
                            "link => link.getBoundingClientRect().right))") <= width,
                   "every section is named in sight at %d px" % width)


def test_theme(page):
    colour = "getComputedStyle(document.body).backgroundColor"
    page.browser.dark(True)
    page.equal(page.run(colour), "rgb(20, 23, 28)", "dark where the system is")
    page.run("document.getElementById('theme').click()")
    page.equal(page.run(colour), "rgb(255, 255, 255)", "light by the button")
    page.run("document.getElementById('theme').click()")
    page.browser.dark(False)
    page.equal(page.run(colour), "rgb(20, 23, 28)", "dark by the button")


def test_full(program, chromium, max_seconds):
    """A whole grid: what is asked of size and time, in processor time since machines are shared."""
    with tempfile.TemporaryDirectory(prefix="qkvlab-html-") as out:
        os.makedirs(out + "/runs")
        make_sweep.write_full(out)
        before = os.times()
        subprocess.run([program, "report", out], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        seconds = after.children_user - before.children_user
        size = os.path.getsize(out + "/report/report.html")
        page = Page(chromium)
        page.check(seconds < max_seconds, "3,240 runs are reported in %.1f s" % seconds)
        page.check(size < MAX_BYTES, "the page of 3,240 runs has %d bytes" % size)
        opened = chromium.open(out + "/report/report.html")
        page.check(page.run("document.getElementById('lead').textContent").startswith(
            "3240 finished runs"), "all runs are in the page")
    print("3,240 runs: report %.1f s, page %.1f MB, open after %.1f s" % (seconds, size / 1e6, opened))


def test_small(program, chromium):
    with tempfile.TemporaryDirectory(prefix="qkvlab-html-") as out:
        os.makedirs(out + "/runs")
        make_sweep.write_small(out)
        subprocess.run([program, "report", out], check=True, stdout=subprocess.DEVNULL)
        path = out + "/report/report.html"
        page = Page(chromium)
        chromium.dark(False)
        test_widths(page, path)
        chromium.size(1280, 900)
        for test in (test_sections, test_sorting, test_filter, test_filter_of_views,
                     test_what_is_kept, test_numbers, test_links, test_curves, test_maps,
                     test_hostile, test_theme):
            test(page)
        test_plots(page, path)
        test_files(page, out + "/report")
        page.check(chromium.pdf().startswith(b"%PDF"), "the page prints")
        own = "file://" + os.path.realpath(path)
        page.equal(set(url.split("#")[0] for url in chromium.requests) -
                   {own.replace("report.html", "drawn.html")}, {own}, "what the page asks for")


def main():
    if not browser.find():
        print("skipped: there is no chromium to open report.html with")
        sys.exit(SKIP)
    program, max_seconds = sys.argv[1], float(sys.argv[2])
    chromium = browser.Browser()
    try:
        test_small(program, chromium)
        test_early_curves(Page(chromium), program)
        test_same_titles(Page(chromium), program)
        test_full(program, chromium, max_seconds)
        Page(chromium).equal(chromium.problems, [], "errors of the console")
    finally:
        chromium.close()
    print("report.html: fine")


if __name__ == "__main__":
    main()
