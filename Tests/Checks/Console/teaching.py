"""Exams and grants by a teacher, attempts, report, programs and rooms: the parts of `run` with people of several rights."""

import atexit
import json
import os
import subprocess
import time

import browser
from __main__ import COMMAND, Console, commands, look, mdefaults, says, settled, write

ETC = "/etc/managed-defaults"
SOCKET = "/run/managed-defaults/delegate.sock"
CENTRE = "/var/lib/managed-defaults-fleet"
DIALOG = "document.querySelector('dialog')"
EVIL = "<img src=x onerror=window.hacked=1>"


def file(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as target:
        target.write(content if isinstance(content, str) else json.dumps(content))


def populate():
    """Two sets, a teacher, three people with sessions, one exam of root's and a record of an attempt."""
    file(f"{ETC}/sets.d/maths/10-exam.json", {
        "Identifier": "edu.example.maths", "Description": "Mathematics, second part", "Forced": {"a.b": {"c": 1}}})
    file(f"{ETC}/sets.d/locked.json", {
        "Identifier": "edu.example.locked", "Description": EVIL,
        "Forced": {"org.chromium.Chromium": {"HomepageLocation": "https://exam.example.edu/"}}})
    file(f"{ETC}/sets.d/broken.json", '{"Forced": 1}')
    file(f"{ETC}/delegates.json", {"Delegates": [
        {"Users": ["muller"], "Sets": ["maths"], "Hours": 4, "For": {"Groups": ["pupils"]},
         "Keys": {"org.example.Browser": ["Proxy"]}},
        {"Users": ["muller"], "Sets": ["locked"], "Hours": 2, "For": {"Everybody": True}}]})
    for uid in (61001, 61002, 61004):
        file(f"/run/systemd/users/{uid}", "")
    mdefaults("policy", "apply")
    mdefaults("policy", "exam", "start", "locked", "--for", "1h", "--users", "ben", "--reason", EVIL, "--yes")
    mdefaults("policy", "grant", "--for", "1h", "--user", "anna", "--reason", "loud", "--yes", "org.example.Player", "Volume")
    tries("org.example.Browser", "HomePage", "-string", EVIL)
    if not os.path.exists(SOCKET):
        server = subprocess.Popen(["systemd-socket-activate", "--seqpacket", "--accept", "--inetd", "-l", SOCKET,
                                   COMMAND, "policy", "delegates", "--serve"], stderr=subprocess.DEVNULL)
        atexit.register(server.kill)
        while not os.path.exists(SOCKET):
            time.sleep(0.05)
        mdefaults("policy", "delegates", "--access")


def tries(*words):
    """A pupil writes what is forced; root takes the record into the log."""
    subprocess.run(["runuser", "-u", "anna", "--", COMMAND, "write", *words], capture_output=True)
    mdefaults("policy", "apply")


def sits(user, key=("a.b", "c")):
    return mdefaults("--user", user, "forced", *key).returncode == 0


def teaching():
    populate()
    with Console(commands(), user="muller") as console:
        page = console.page("#/temporary")
        settled(page)
        says("a teacher does not end what root started",
             not page.evaluate("[...document.querySelectorAll('button')].some(b => b.textContent === 'End')"))
        page.press("Start an exam")
        page.wait(DIALOG)
        offers = page.evaluate(f"[...{DIALOG}.querySelector('select').options].map(o => o.text)")
        says("only the teacher's sets are offered", len(offers) == 2 and offers[1].startswith("maths"), str(offers))
        page.evaluate(f"(() => {{ const s = {DIALOG}.querySelector('select'); s.value = '1';"
                      " s.dispatchEvent(new Event('change')) })()")
        ahead = page.evaluate(f"(new Date({DIALOG}.querySelector('[type=datetime-local]').max) - Date.now()) / 3600000")
        says("an end is at most as far as the delegation says", 3.9 < ahead <= 4, str(ahead))
        says("axe finds nothing in the dialog", not page.axe(), str(page.axe()))
        chosen = page.evaluate(f"{DIALOG}.querySelector('[type=datetime-local]').value")
        page.type("dialog [type=datetime-local]", f"{int(chosen[:4]) + 1}{chosen[4:]}")
        page.press("Start", DIALOG)
        says("a later one is not taken", page.evaluate(f"{DIALOG}.open") and not sits("anna"))
        page.type("dialog [type=datetime-local]", chosen)
        begin(page)
        page.wait(f"{DIALOG}?.textContent.includes('Logged in, and not in it: carl')")
        page.press("Close", DIALOG)
        settled(page)
        says("the exam is in force for the class", sits("anna") and sits("ben") and not sits("carl"))
        said = page.evaluate("[...document.querySelectorAll('article')].find(a => a.textContent.includes('maths')).innerText")
        says("who sits it, and who is logged in and does not",
             "group pupils" in said and "anna, ben" in said and "carl" in said, said)
        refused = ask(page, ["policy", "exam", "stop", "locked"])
        says("the machine refuses to end root's", "root started" in refused, refused)
        mdefaults("policy", "exam", "stop", "locked")
        start_locked(console)
        pupil()
        page.evaluate("location.hash = '#/force'")
        page.evaluate("location.hash = '#/temporary'")
        settled(page)
        page.press("Give a grant")
        page.wait(DIALOG)
        page.evaluate(f"{DIALOG}.querySelector('input').name = 'person'")
        page.type("dialog [name=person]", "anna")
        page.evaluate(f"[...{DIALOG}.querySelectorAll('input')].at(-1).name = 'why'")
        page.type("dialog [name=why]", "a reason")
        page.press("Grant", DIALOG)
        page.wait(f"!{DIALOG}")
        settled(page)
        says("a grant of a delegated key",
             not sits("anna", ("org.example.Browser", "Proxy")) and sits("ben", ("org.example.Browser", "Proxy")))
        page.evaluate("[...document.querySelectorAll('button')].find(b => b.ariaLabel === 'End the exam maths').click()")
        page.wait(DIALOG)
        says("an end is asked about", sits("anna"))
        page.press("End it now", DIALOG)
        page.wait(f"!{DIALOG}")
        settled(page)
        says("the exam is over",
             not sits("anna")
             and "maths" not in page.evaluate("[...document.querySelectorAll('article')].map(a => a.innerText).join()"))
        page.call("Emulation.setTimezoneOverride", timezoneId="Pacific/Kiritimati")
        page.evaluate("location.hash = '#/force'")
        page.evaluate("location.hash = '#/temporary'")
        settled(page)
        says("a browser in another time zone: a sentence", "Pacific/Kiritimati" in page.text(), page.text())
        says("no error in the page", not page.errors() and not page.evaluate("window.hacked"), str(page.errors()))
    mdefaults("policy", "exam", "stop")
    mdefaults("policy", "grant", "revoke", "--user", "anna", "org.example.Browser", "Proxy")


def begin(page):
    """Starts what the dialog has, and says that it is meant where that is asked, as over midnight."""
    page.press("Start", DIALOG)
    page.wait(f"!{DIALOG} || {DIALOG}.querySelector('.failure') || {DIALOG}.textContent.includes('Logged in, and not')")
    box = f"[...{DIALOG}?.querySelectorAll('label') || []].find(l => l.offsetParent && l.textContent.includes('that is meant'))"
    if page.evaluate(f"Boolean({box})"):
        page.evaluate(f"{box}.querySelector('input').click()")
        page.press("Start", DIALOG)


def start_locked(console):
    """A second exam, for everybody, and what the pupil's browser has of it."""
    page = console.page("#/temporary")
    settled(page)
    page.press("Start an exam")
    page.wait(DIALOG)
    says("a set that is a script is text", EVIL in page.evaluate(f"{DIALOG}.textContent"))
    begin(page)
    page.wait("[...document.querySelectorAll('article')].some(a => a.textContent.includes('locked'))")
    with browser.Chromium("anna") as running:
        home = running.policy(running.run().policies(), "HomepageLocation")
    says("the pupil's browser has the exam that the teacher started", home == "https://exam.example.edu/", str(home))
    page.close()


def ask(page, words, privileged=False):
    """What the page's own function says to a command, or DONE."""
    options = json.dumps({"privileged": privileged})
    return page.evaluate(f"import('./mdefaults.js').then(m => m.run({json.dumps(words)}, {options}))"
                         ".then(() => 'DONE', error => error.message)")


def pupil():
    """A pupil runs what the page runs."""
    until = ["--until", "2099-01-01T00:00:00Z"]
    with Console(commands(), user="anna") as console:
        page = console.page("#/temporary")
        settled(page)
        text = page.text()
        says("a pupil sees the exam and has no button",
             "maths" in text and "Start an exam" not in text and "Give a grant" not in text, text)
        for words in (["policy", "exam", "stop", "maths"],
                      ["policy", "exam", "start", "--for", "1h", "--group", "pupils", "--yes", "locked"],
                      ["policy", "grant", *until, "--user=anna", "--reason=r", "--yes", "--", "org.example.Browser", "Proxy"],
                      ["policy", "apply"], ["programs", "enable"], ["audit", "list"]):
            for privileged in (False, True):
                said = ask(page, words, privileged)
                says(f"the machine refuses {' '.join(words[:3])}{' as administrator' if privileged else ''}",
                     said != "DONE", said)
        says("all is as it was",
             sits("anna")
             and not mdefaults("--user", "anna", "forced", "org.example.Player", "Volume").returncode == 0)
        for view, sentence in (("attempts", "may not read the log"), ("report", "An administrator can run this here"),
                               ("programs", "")):
            page.evaluate(f"location.hash = '#/{view}'")
            settled(page)
            says(f"{view} of a pupil: a sentence",
                 sentence in page.text() and "0 attempts" not in page.text(), page.text()[:900])
        says("rooms are not there without a centre",
             page.evaluate("document.querySelector('[data-view=rooms]').offsetParent === null"))


def answers():
    """Attempts as they come, checks that are mended, the report, a program that is asked, and rooms."""
    populate()
    with Console(commands()) as console:
        page = console.page("#/attempts")
        settled(page)
        page.wait("document.body.textContent.includes('Live')")
        says("the log in words, and attempts by person",
             "The log is intact." in page.text() and "By person" in page.text(),
             page.text()[:800])
        tries("org.example.Browser", "Proxy", "-string", "live.example:1")
        took = page.wait("document.body.textContent.includes('live.example:1')", 15)
        says(f"a new attempt appears by itself ({took:.1f} s)", "refused: nothing was stored" in page.text())
        says("scripts are text", EVIL in page.text() and not page.evaluate("window.hacked"))
        page.press("anna", "document.querySelector('.columns')")
        settled(page)
        says("a person narrows the list", page.evaluate("document.querySelector('[name=user]').value") == "anna")

        write("40-new.json", {"Identifier": "edu.example.new", "Forced": {"a.b": {"d": 1}}})
        page.evaluate("location.hash = '#/report'")
        settled(page)
        before = page.evaluate("document.querySelectorAll('.list:not(details .list) > li').length")
        page.evaluate("[...document.querySelectorAll('li')].find(l => l.textContent.includes('mdefaults policy apply')"
                      " && l.querySelector('button')).querySelector('button').click()")
        page.wait(DIALOG)
        page.press("Run it", DIALOG)
        page.wait(f"{DIALOG}?.textContent.includes('What it said')")
        page.press("Close", DIALOG)
        settled(page)
        after = page.evaluate("document.querySelectorAll('.list:not(details .list) > li').length")
        says(f"a command mends what doctor found ({before} to {after})", after < before)
        page.press("Show the report")
        page.wait("!document.querySelector('.progress') && document.querySelector('iframe')")
        got = page.evaluate("fetch(document.querySelector('iframe').src).then(async r => [r.status, await r.text()])")
        says("the report as it is made",
             got[0] == 200 and "</html>" in got[1] and "Compliance report" in got[1], str(got)[:300])
        says("its scripts do not run here", page.evaluate("document.querySelector('iframe').getAttribute('sandbox')") == "")
        kept = page.evaluate("""new Promise(resolve => {
            HTMLAnchorElement.prototype.click = function () { resolve([this.href, this.download]) };
            [...document.querySelectorAll('button')].find(b => b.textContent === 'Save as a file').click() })
            .then(async ([href, name]) => {
                const r = await fetch(href);
                return [r.headers.get('content-disposition'), name, (await r.text()).length]
            })""")
        says("and as a file", "attachment" in kept[0] and kept[1].endswith(".html") and kept[2] > 1000, str(kept))

        write("50-chromium.json", {
            "Identifier": "edu.example.chromium", "Forced": {"org.chromium.Chromium": {"BookmarkBarEnabled": True}}})
        mdefaults("policy", "apply")
        page.evaluate("location.hash = '#/programs'")
        settled(page)
        says("a program that was not asked", "written, and not asked" in page.text(), page.text()[:800])
        page.evaluate("[...document.querySelectorAll('button')].find(b => b.ariaLabel === 'Ask Chromium now').click()")
        page.wait("document.body.textContent.includes('confirmed by the program') || document.querySelector('.failure')", 120)
        says("a program that confirms", "confirmed by the program" in page.text(), page.text()[:1200])
        says("no error in the page", not page.errors(), str(page.errors()))
    for name in ("40-new.json", "50-chromium.json"):
        os.unlink(f"{ETC}/policies.d/{name}")
    mdefaults("policy", "exam", "stop")


def rooms():
    os.makedirs(CENTRE, exist_ok=True)
    subprocess.run([COMMAND, "fleet", "demo", "/run/demo"], check=True, capture_output=True)
    subprocess.run(["mount", "--bind", f"/run/demo{CENTRE}", CENTRE], check=True)
    subprocess.run(["chmod", "755", CENTRE], check=True)
    try:
        with Console(commands()) as console:
            page = console.page("#/rooms")
            settled(page)
            says("rooms, with names for an administrator", "pc07" in page.text() and "room" in page.text(), page.text()[:600])
            look(console, "#/rooms")
            page.wait("document.querySelector('[data-view=rooms]').offsetParent")
        for mode in ("750", "755"):
            subprocess.run(["chmod", mode, f"{CENTRE}/hosts"], check=True)
            with Console(commands(), user="anna") as console:
                page = console.page("#/rooms")
                settled(page)
                text = page.text()
                says(f"without names for others ({mode})",
                     "pc0" not in text and ("room" in text if mode == "755" else "denied" in text.lower()), text)
    finally:
        subprocess.run(["umount", CENTRE])


parts = {"teaching": teaching, "answers": answers, "rooms": rooms}
