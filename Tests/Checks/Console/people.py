"""An administrator, a teacher and a pupil log in to Cockpit of a booted machine: called by `machine`."""

import json
import os
import sys
import time
import urllib.error
import urllib.request

from console import Page, browser

ROOT, PORT = os.environ["ROOT"], os.environ["PORT"]
BASE = f"https://127.0.0.1:{PORT}"
PICTURES = os.environ.get("PICTURES")
POLICIES = ROOT + "/etc/managed-defaults/policies.d/"
failed = 0


def says(what, is_so, more=""):
    """A line of the table."""
    global failed
    print(f"{'held   ' if is_so else 'NOT SO '} {what}{'' if is_so else f': {more}'}", flush=True)
    failed += not is_so


class Person:
    """A browser in which one person is logged in."""

    def __init__(self, name):
        self.name = name
        self.browser = browser.Chromium("root")
        self.browser.run("--no-sandbox", "--ignore-certificate-errors", "--window-size=1400,900")
        self.shell = Page(self.browser, BASE + "/managed-defaults", 1400, False)
        self.shell.wait("document.querySelector('#login-user-input')?.offsetParent", 60)
        self.shell.type("#login-user-input", name)
        self.shell.type("#login-password-input", "the-word-of-" + name)
        self.shell.evaluate("document.querySelector('#login-button').click()")
        self.shell.wait("document.querySelector('iframe[name*=managed-defaults]')", 60)

    def page(self, place):
        """The page in a tab of its own, in the same session."""
        page = Page(self.browser, f"{BASE}/cockpit/@localhost/managed-defaults/index.html{place}", 1400, False)
        page.wait("document.querySelector('main section')?.childNodes.length && !document.querySelector('.progress')", 60)
        time.sleep(0.5)
        page.wait("!document.querySelector('.progress')", 60)
        return page

    def run(self, page, *words, superuser=None, text=""):
        """What a command of this person's session prints, as the page runs it."""
        options = {"err": "message", **({"superuser": superuser} if superuser else {})}
        return page.evaluate(
            f"cockpit.spawn({json.dumps(words)}, {json.dumps(options)}).input({json.dumps(text)})"
            ".then(text => 'DONE ' + text, error => 'REFUSED ' + (error.problem || '') + ' ' + error.message)")


def policy(name):
    with open(POLICIES + name) as file:
        return file.read()


for _ in range(200):
    try:
        urllib.request.urlopen(BASE, context=__import__("ssl")._create_unverified_context()).read()
        break
    except (OSError, urllib.error.URLError):
        time.sleep(0.2)

# The administrator.
adam = Person("adam")
says("the page is in Cockpit's frame", "managed-defaults" in adam.shell.evaluate("location.href"))
page = adam.page("#/policy")
says("before the step to administrative access: a sentence", "turn on administrative access" in page.text(), page.text()[:400])
refused = adam.run(page, "mdefaults", "policy", "rollback", "1", "--yes", superuser="require")
says("and the machine refuses", refused.startswith("REFUSED access-denied"), refused)
adam.shell.call("Page.bringToFront")
adam.shell.wait("[...document.querySelectorAll('button')].some(b => b.textContent.includes('Limited access'))", 60)
adam.shell.press("Limited access")
adam.shell.wait("document.querySelector('.pf-c-modal-box input[type=password]')")
adam.shell.evaluate("""(() => { const field = document.querySelector('.pf-c-modal-box input[type=password]');
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'the-word-of-adam');
    field.dispatchEvent(new Event('input', {bubbles: true})); field.dispatchEvent(new Event('change', {bubbles: true})) })()""")
adam.shell.press("Authenticate")
adam.shell.wait("[...document.querySelectorAll('button')].some(b => b.textContent.includes('Administrative access'))", 60)
if PICTURES:
    time.sleep(2)
    adam.shell.picture(PICTURES + "/machine-frame.png", whole=False)
page.call("Page.bringToFront")
page.wait("[...document.querySelectorAll('button')].some(b => b.textContent.startsWith('New file'))", 30)
says("after it the page changes by itself", True)
page.close()
page = adam.page("#/policy/edit/10-school.json")
page.wait("document.querySelector('textarea')")
good = policy("10-school.json")
page.type("textarea", good.replace('"Forced"', '"Enforce":\n"x",\n"Forcd"'))
page.wait("document.querySelector('main').textContent.includes('line 3, column')", 30)
says("a mistake that is typed is shown at its line",
     page.evaluate("document.querySelector('.editor pre').textContent.includes('✗ 3')"), page.text()[-600:])
says("and cannot be installed",
     page.evaluate("[...document.querySelectorAll('button')].find(b => b.textContent.startsWith('Look at')).disabled"))
broken = adam.run(page, "mdefaults", "policy", "install", "-", "--as=10-school.json", "--yes", superuser="require",
                  text=page.evaluate("document.querySelector('textarea').value"))
says("by the machine neither", broken.startswith("REFUSED") and policy("10-school.json") == good, broken)
page.type("textarea", good.replace("Room 12", "Room 14"))
page.press("Look at the difference …")
page.wait("document.querySelector('dialog .actions') && !document.querySelector('dialog .progress')")
page.type("dialog input", "the office moved")
page.press("Install", "document.querySelector('dialog')")
page.wait("location.hash.replace(/\\/$/, '') === '#/policy'", 60)
page.wait("document.querySelector('main').textContent.includes('the office moved')", 30)
says("a change is installed, with who and why", "Room 14" in policy("10-school.json")
     and "adam" in page.text(), page.text()[-600:])

# The pupil.
paul = Person("paul")
his = paul.page("#/force")
says("the pupil sees what is forced",
     "HomepageLocation" in his.evaluate("document.querySelector('main').textContent"), his.text())
his = paul.page("#/force/org.chromium.Chromium/HomepageLocation")
says("and why, and whom to ask", "Room 14" in his.text() and "the office moved" in his.text(), his.text())
before = paul.run(his, "/opt/check/pupil-browser")
says("before: the pupil's browser", "https://lessons/" in before, before)
for words, text in ((["policy", "install", "-", "--as=10-school.json", "--yes"], "{}"),
                    (["policy", "rollback", "1", "--yes"], ""),
                    (["policy", "exam", "start", "maths", "--for", "1h", "--users", "paul", "--yes"], ""),
                    (["policy", "exam", "stop", "maths"], ""), (["policy", "apply"], ""),
                    (["policy", "grant", "--user", "paul", "--for", "1h", "--reason", "r", "org.chromium.Chromium",
                      "HomepageLocation"], ""), (["audit", "list"], "")):
    said = paul.run(his, "mdefaults", *words, text=text)
    says(f"the machine refuses the pupil: {' '.join(words[:3])}", said.startswith("REFUSED"), said)
    said = paul.run(his, "mdefaults", *words, superuser="require", text=text)
    says("  by Cockpit's step too", said.startswith("REFUSED access-denied"), said)
said = his.evaluate("cockpit.file('/etc/managed-defaults/policies.d/10-school.json', {superuser: 'try'}).replace('{}')"
                    ".then(() => 'DONE', error => 'REFUSED ' + error.message)")
says("and the file", said.startswith("REFUSED") and "Room 14" in policy("10-school.json"), said)

# The teacher.
tina = Person("tina")
hers = tina.page("#/temporary")
said = tina.run(hers, "mdefaults", "policy", "install", "-", "--as=10-school.json", "--yes", text="{}")
says("the teacher installs nothing", said.startswith("REFUSED"), said)
said = tina.run(hers, "mdefaults", "policy", "exam", "start", "maths", "--for", "1h", "--everybody", "--yes")
says("starts no exam for everybody", said.startswith("REFUSED"), said)
hers.press("Start an exam")
hers.wait("document.querySelector('dialog .actions')")
says("is offered one class and one set", "class-3b" in hers.evaluate("document.querySelector('dialog').textContent"),
     hers.evaluate("document.querySelector('dialog').textContent"))
hers.press("Start", "document.querySelector('dialog')")
asks = "[...document.querySelectorAll('dialog label')].find(each => each.textContent.includes('Yes,'))"
hers.wait(f"!document.querySelector('dialog') || {asks}.offsetParent", 60)
if hers.evaluate("document.querySelector('dialog') !== null"):
    # Over midnight: the command asks, and the box is the answer.
    hers.evaluate(f"{asks}.querySelector('input').click()")
    hers.press("Start", "document.querySelector('dialog')")
hers.wait("[...document.querySelectorAll('article')].some(each => each.textContent.includes('maths'))", 60)
says("starts the exam for the class", True)
if PICTURES:
    hers.picture(PICTURES + "/machine-exam.png")
his = paul.page("#/force/org.chromium.Chromium/HomepageLocation")
says("during: the pupil's page", "https://exam/" in his.text(), his.text())
during = paul.run(his, "/opt/check/pupil-browser")
says("during: the pupil's browser", "https://exam/" in during, during)
said = paul.run(his, "mdefaults", "policy", "exam", "stop", "maths")
says("the pupil does not stop it", said.startswith("REFUSED"), said)
hers.press("Close", "document.querySelector('dialog')")
hers.press("End")
hers.press("End it now", "document.querySelector('dialog')")
hers.wait("document.querySelector('main').textContent.includes('No exam is in force')", 60)
says("the teacher ends it after one question", True)
after = paul.run(his, "/opt/check/pupil-browser")
says("after: the pupil's browser", "https://lessons/" in after, after)
for person in (adam, tina, paul):
    person.browser.close()
sys.exit(1 if failed else 0)
