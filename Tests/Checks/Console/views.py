"""Looks at each view of the page: called by `run`, in whose mounts everything is written."""

import json
import os
import subprocess
import sys
import tempfile
import time
import traceback

from console import HERE, Console, Page

COMMAND = os.environ["MDEFAULTS"]
PICTURES = os.environ.get("PICTURES")
FOLDER = "/etc/managed-defaults/policies.d"
VIEWS = ["#/force", "#/force/org.example.Browser/HomePage", "#/policy", "#/policy/edit/10-site.json",
         "#/temporary", "#/attempts",
         "#/report", "#/programs"]
failed = 0


def says(what, is_so, more=""):
    """A line of the table."""
    global failed
    print(f"{'ok     ' if is_so else 'NOT SO '} {what}{'' if is_so else f': {more}'}", flush=True)
    failed += not is_so


def mdefaults(*words, text=""):
    return subprocess.run([COMMAND, *words], input=text, capture_output=True, text=True)


def write(name, content):
    os.makedirs(FOLDER, exist_ok=True)
    with open(f"{FOLDER}/{name}", "w") as file:
        file.write(content if isinstance(content, str) else json.dumps(content, indent=2))


def commands(script=None):
    """A folder with the command, or with a script of that name."""
    folder = tempfile.mkdtemp(prefix="md-commands-")
    os.chmod(folder, 0o755)
    if script is None:
        os.symlink(COMMAND, folder + "/mdefaults")
    elif script:
        with open(folder + "/mdefaults", "w") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(folder + "/mdefaults", 0o755)
    return folder


def settled(page, seconds=30):
    page.wait("!document.querySelector('.progress') && document.querySelector('section')?.childNodes.length", seconds)
    time.sleep(0.4)
    page.wait("!document.querySelector('.progress')", seconds)


def school():
    write("10-site.json", {
        "Identifier": "edu.example.school.site", "Contact": "Lab office, room 12", "Description": "The school's network",
        "Forced": {"org.example.Browser": {"HomePage": "https://start.school.example/", "Proxy": "proxy:3128"},
                   "org.example.Player": {"Volume": 40}},
        "Recommended": {"NSGlobalDomain": {"AppleMeasurementUnits": "Centimeters"}}})
    write("20-class.json", {
        "Identifier": "edu.example.school.class", "Target": {"Groups": ["pupils"]},
        "Forced": {"org.example.Browser": {"HomePage": "https://class.school.example/"}}})
    write("30-late.json", {
        "Identifier": "edu.example.school.late", "Target": {"NotBefore": "2099-01-01T00:00:00Z"},
        "Forced": {"org.example.Browser": {"HomePage": "https://late.school.example/"}}})
    mdefaults("policy", "apply")


def look(console, view):
    """A view in both themes and three widths; returns what axe found last."""
    for dark in (False, True):
        for width in (360, 800, 1600):
            page = console.page(view, width, dark)
            settled(page)
            if view == "#/report":
                page.press("Show the report")
                settled(page)
            page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
            time.sleep(0.2)
            found = page.axe()
            problems = page.errors() + (found or []) + (["one scrolls sideways"] if page.too_wide() else [])
            says(f"{view} {width} {'dark' if dark else 'light'}", not problems, "; ".join(problems))
            if PICTURES:
                name = view.strip("#/").replace("/", "-")
                page.picture(f"{PICTURES}/{name}-{width}-{'dark' if dark else 'light'}.png")
            page.close()
    return found


def pictures():
    teaching.populate()
    with Console(commands()) as console:
        for view in VIEWS:
            found = look(console, view)
        page = console.page("#/force")
        settled(page)
        page.evaluate("document.querySelector('main').append(document.createElement('img'))")
        if found is None:
            print("skipped: axe is not there (AXE, or the package axe-core-python)")
        else:
            says("axe would find a picture without words", any("image-alt" in each for each in page.axe()))
        for _ in range(3):
            page.key("Tab")
        says("the keyboard reaches the views", page.evaluate("document.activeElement.closest('#views') !== null"))


def scripts():
    evil = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"
    write("10-site.json", {
        "Identifier": evil, "Contact": evil, "Description": evil,
        "Forced": {"org.example.Evil": {evil: evil, "javascript:alert(1)": [evil, {evil: evil}]}}})
    write("70-broken.json", '{"Forced": {"' + evil.replace('"', "") + '": tru}}')
    mdefaults("policy", "apply")
    with Console(commands()) as console:
        page = console.page("#/force")
        settled(page)
        for view in VIEWS + ["#/force/org.example.Evil/javascript%3Aalert(1)"]:
            page.evaluate(f"location.hash = {json.dumps(view)}")
            time.sleep(0.2)
            settled(page)
            made = page.evaluate("window.hacked || document.querySelectorAll('main script, main img, main iframe').length")
            says(f"values that are scripts are text in {view}", not made, str(made))
        page.evaluate("location.hash = '#/force'")
        settled(page)
        page.press(evil, "document.querySelector('main')")
        page.wait("document.querySelector('h2')")
        settled(page)
        says("a key that is a script can be asked about", "Only the administrator" in page.text(), page.text()[:600])
        says("no rule of the content policy was broken", not page.errors(), str(page.errors()))
    os.unlink(f"{FOLDER}/70-broken.json")
    school()


def editing():
    with Console(commands()) as console:
        first = console.page("#/policy/edit/10-site.json")
        first.wait("document.querySelector('textarea')")
        good = first.evaluate("document.querySelector('textarea').value")
        says("the editor has the file", good == open(f"{FOLDER}/10-site.json").read(), good)
        first.type("textarea", good.replace('"proxy:3128"', "proxy"))
        line = good[:good.index('"proxy:3128"')].count("\n") + 1
        took = first.wait(f"document.querySelector('main').textContent.includes('line {line}, column')")
        says("a mistake is shown at its line", took < 3, f"{took:.1f} s")
        pressed = "[...document.querySelectorAll('button')].find(b => b.textContent.startsWith('Look at'))"
        says("and cannot be installed", first.evaluate(pressed + ".disabled"))
        says("nothing changed", open(f"{FOLDER}/10-site.json").read() == good)
        first.type("textarea", good.replace("proxy:3128", "proxy:8080"))
        second = console.page("#/policy/edit/10-site.json")
        second.wait("document.querySelector('textarea')")
        second.type("textarea", good.replace("Lab office, room 12", "Lab office, room 13"))
        for page, reason in ((first, "the proxy moved"), (second, "we moved")):
            page.press("Look at the difference …")
            page.wait("document.querySelector('dialog')")
            if page is first:
                page.wait("document.querySelector('dialog').textContent.includes('proxy:8080')")
                says("the difference names everybody", "people" in page.evaluate("document.querySelector('dialog').innerText"))
                says("axe finds nothing in the dialog", not page.axe(), str(page.axe()))
                page.evaluate("document.querySelector('dialog .actions button').click()")
                says("it wants a reason", page.evaluate("document.querySelector('dialog').open"))
                page.type("dialog input", reason)
                page.press("Install", "document.querySelector('dialog')")
                page.wait("location.hash === '#/policy' || location.hash === '#/policy/'")
                settled(page)
        installed = good.replace("proxy:3128", "proxy:8080")
        says("it is installed", open(f"{FOLDER}/10-site.json").read() == installed)
        says("with who and why", "the proxy moved" in first.text(), first.text()[-800:])
        second.wait("document.querySelector('main').textContent.includes('was changed while you wrote')")
        second.press("Cancel", "document.querySelector('dialog')")
        says("the second is told", "the proxy moved" in second.text(), second.text()[:900])
        says("and has both texts", "room 13" in second.evaluate("document.querySelector('textarea').value")
             and "proxy:8080" in second.evaluate("document.querySelector('.notice pre').textContent"))
        says("and nothing was changed", open(f"{FOLDER}/10-site.json").read() == installed)
        # A change between the look and the press is the machine's to refuse.
        digest = "0" * 64
        refused = mdefaults("policy", "install", "-", "--as=10-site.json", "--yes", f"--if-unchanged={digest}", text=good)
        says("the command refuses it too", refused.returncode == 1 and "was changed since" in refused.stderr, refused.stderr)
        second.press("Go on with my text instead of theirs")
        second.press("Look at the difference …")
        second.wait("document.querySelector('dialog')?.textContent.includes('proxy:3128')")
        second.press("Cancel", "document.querySelector('dialog')")
        reopened = console.page("#/policy/edit/10-site.json")
        reopened.wait("document.querySelector('textarea')")
        first.press("Go back …")
        first.wait("document.querySelector('dialog')?.textContent.includes('proxy:3128')")
        first.press("Go back", "document.querySelector('dialog')")
        first.wait("!document.querySelector('dialog')")
        says("a rollback brings the old text", open(f"{FOLDER}/10-site.json").read() == good)
        page = console.page("#/policy")
        page.press("New file …")
        page.type("dialog input", "50-room")
        page.press("Write it", "document.querySelector('dialog')")
        page.wait("document.querySelector('textarea')?.value.includes('\"Identifier\": \"50-room\"')")
        says("a new file begins with policy new",
             "50-room.json" in page.text() and not os.path.exists(f"{FOLDER}/50-room.json"))
        says("no error in the pages", not (first.errors() + second.errors() + page.errors()),
             str([first.errors(), second.errors(), page.errors()]))


def sentences():
    with Console(commands("")) as console:
        page = console.page("#/force")
        page.wait("document.querySelector('.failure')")
        says("without mdefaults: a sentence", "mdefaults is not installed" in page.text(), page.text())
    with Console(commands("exec sleep 61.75")) as console:
        page = console.page("#/force")
        took = page.evaluate("""new Promise(resolve => {
            const began = performance.now();
            location.hash = '#/policy';
            const look = () => location.hash === '#/policy' && document.querySelector('.policy .progress')
                ? resolve(performance.now() - began) : setTimeout(look, 5);
            look();
        })""")
        says(f"a mark after {took:.0f} ms", 290 < took < 1000)
        page.wait("document.body.textContent.includes('A service may hang')")
        page.press("Cancel")
        page.wait("document.body.textContent.includes('Cancelled.')")
        says("a service that hangs: a sentence, and it can be cancelled", not page.errors(), str(page.errors()))
        own = page.evaluate("document.querySelectorAll('.progress').length")
        page.evaluate("location.hash = '#/force/a/b'")
        page.wait("document.querySelector('.force .progress')")
        left = subprocess.run(["pgrep", "-c", "-f", "^sleep 61.75$"], capture_output=True, text=True).stdout
        says("what a view began ends with it", int(left) <= 2, f"{left.strip()} commands, {own} were not cancelled")
    with Console(commands(f"exec {COMMAND} --root /nowhere \"$@\"")) as console:
        page = console.page("#/force")
        page.wait("document.querySelector('.failure')")
        says("an error is the command's own sentence", "/nowhere" in page.text(), page.text())
    with Console(commands(), user="anna") as console:
        page = console.page("#/force")
        settled(page)
        says("a pupil sees what is forced", "org.example.Browser" in page.text(), page.text())
        page.evaluate("location.hash = '#/force/org.example.Browser/HomePage'")
        page.wait("document.querySelector('dl')")
        says("and why", "class.school.example" in page.text() and "20-class.json" in page.text(), page.text())
        page.evaluate("location.hash = '#/force?user=ben&user=anna'")
        settled(page)
        says("of an option that is there twice the last one counts", "As if" in page.text() and not page.errors(), page.text())
        page.evaluate("location.hash = '#/policy'")
        settled(page)
        says("without rights: a sentence", "turn on administrative access" in page.text(), page.text()[:500])
        page.evaluate("location.hash = '#/policy/edit/10-site.json'")
        page.wait("document.querySelector('textarea')")
        says("and nothing to install with", "Look at the difference" not in page.text())
        for words in (["policy", "install", "-", "--as=10-site.json", "--yes"], ["policy", "rollback", "1", "--yes"]):
            for superuser in ("", ", superuser: 'require'"):
                said = page.evaluate(
                    f"cockpit.spawn({json.dumps(['mdefaults', *words])}, {{ err: 'message'{superuser} }})"
                    ".input('{}').then(() => 'DONE', error => error.problem || error.message)")
                says(f"the machine refuses {' '.join(words)}{superuser}", said != "DONE", said)
    empty = tempfile.mkdtemp()
    os.makedirs(empty + "/etc")
    with open(empty + "/etc/passwd", "w") as file:
        file.write("root:x:0:0::/root:/bin/sh\n")
    with Console(commands(f"exec {COMMAND} --root {empty} --user root \"$@\"")) as console:
        page = console.page("#/force")
        settled(page)
        says("unmanaged: a sentence", "This machine is not managed" in page.text(), page.text())


def german():
    with Console(commands()) as console:
        page = console.page("#/policy", language="de")
        settled(page)
        says("German by Cockpit's language",
             "Regeldateien" in page.text()
             and page.evaluate("document.documentElement.lang") == "de",
             page.text()[:300])
        missing = page.evaluate("""(async () => {
            const names = ['index', 'words', 'mdefaults', 'elements', 'force', 'policy', 'editor',
                           'temporary', 'attempts', 'report',
                           'programs', 'rooms'];
            const missing = [];
            for (const name of names) {
                const source = await (await fetch(name + '.js')).text();
                for (const [, text] of source.matchAll(/\\b(?:_|fill|count)\\(\\s*"((?:[^"\\\\]|\\\\.)*)"/g)) {
                    if (cockpit.gettext(text) === text && !['Name', 'Person'].includes(text)) missing.push(text);
                }
            }
            return missing;
        })()""")
        says("no text of the page is left in English", not missing, "; ".join(missing))


def large():
    folder = tempfile.mkdtemp(prefix="md-large-")
    subprocess.run([sys.executable, HERE + "/../Reports/large.py", COMMAND, folder, "5000", "300", "100000"], check=True,
                   stdout=subprocess.DEVNULL)
    with open(folder + "/etc/passwd", "a") as file:
        file.write("root:x:0:0::/root:/bin/sh\n")
    with Console(commands(f"exec {COMMAND} --root {folder} \"$@\"")) as console:
        page = Page(console.browser, "about:blank", 1600, False)
        base = f"http://127.0.0.1:{console.port}/cockpit/@localhost/managed-defaults/index.html"
        for view, sign in (("#/force", "5000 forced keys"), ("#/force/org.example.App7/Setting7", "Only the administrator"),
                           ("#/policy", "10-large.json"), ("#/attempts?since=", "100000 attempts")):
            page.call("Page.navigate", url="about:blank")
            page.wait("location.href === 'about:blank'")
            began = time.monotonic()
            page.call("Page.navigate", url=base + view)
            page.wait(f"document.querySelector('main')?.textContent.includes({json.dumps(sign)})"
                      " && !document.querySelector('.progress')", 60)
            took = time.monotonic() - began
            memory = console.memory()
            says(f"5,000 keys, 300 people, 100,000 records: {view} after {took:.2f} s, {memory:.0f} MB",
                 took < 1 and memory < 150)
        page.call("Page.navigate", url=base + "#/force")
        page.wait("document.querySelector('.force input[type=search]')")
        began = time.monotonic()
        page.type(".force input[type=search]", "Setting4999")
        page.wait("document.querySelector('main').textContent.includes('1 forced key,')")
        says(f"a search after {time.monotonic() - began:.2f} s", time.monotonic() - began < 1)
        page.evaluate("location.hash = '#/policy/edit/50-new.json'")
        page.wait("document.querySelector('textarea')", 30)
        text = page.evaluate("document.querySelector('textarea').value")
        page.type("textarea", text.replace('"nobody"', '"pupil7"').replace('"Users"', '"Users"'))
        began = time.monotonic()
        page.press("Look at the difference …")
        page.wait("document.querySelector('dialog')?.textContent.includes('1 person')", 30)
        took = time.monotonic() - began
        says(f"the difference for 300 people after {took:.2f} s, lint included", took < 2.5)


import teaching  # noqa: E402

parts = {"pictures": pictures, "scripts": scripts, "editing": editing, "sentences": sentences, "german": german, "large": large,
         **teaching.parts}
for name in sys.argv[1:] or parts:
    print(f"-- {name}", flush=True)
    school()
    try:
        parts[name]()
    except Exception as error:
        traceback.print_exc()
        says(name, False, str(error)[:1500])
sys.exit(1 if failed else 0)
