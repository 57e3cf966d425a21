"""gtk.py EXAMPLE ROOT [PICTURE]: the page of settings of Examples/gtk on a machine in a folder.

A control that policy forces is locked, and says why as its tooltip and to screen readers; the others follow policy while the
page is open. PICTURE gets what the page looks like.
"""

import importlib.util
import os
import sys
import time
from collections.abc import Callable

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

from managed_defaults import ManagedDefaults  # noqa: E402

example, root = sys.argv[1:3]
specification = importlib.util.spec_from_file_location("settings", example)
settings = importlib.util.module_from_spec(specification)
specification.loader.exec_module(settings)


def wait(condition: Callable[[], bool]) -> bool:
    """Runs the main loop until something holds, at most 10 s."""
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        while Gtk.events_pending():
            Gtk.main_iteration()
        time.sleep(0.005)
    return condition()


def policy(text: str) -> None:
    """Puts a policy file into place, as a whole."""
    with open(f"{root}/new.json", "w") as file:
        file.write(text)
    os.rename(f"{root}/new.json", f"{root}/etc/managed-defaults/policies.d/90-lesson.json")


with ManagedDefaults("org.example.Browser", root=root, user="pupil") as defaults:
    page = settings.Page(defaults)
    rows = {row.key: row for row in page.rows}
    home, zoom, downloads, theme = (rows[key] for key in ("HomePage", "ZoomLevel", "AllowDownloads", "Theme"))
    assert wait(page.get_mapped)
    assert not home.control.get_sensitive() and home.lock.get_visible()
    assert home.control.get_text() == "https://start.example"
    why = home.box.get_tooltip_text()
    for part in ("HomePage of org.example.Browser is set by policy", "Lab office", "The exam of today", "Generation 1 brought it",
                 "ticket 12"):
        assert part in why, (part, why)
    assert home.control.get_accessible().get_description() == why
    assert zoom.control.get_sensitive() and not zoom.lock.get_visible()
    assert zoom.control.get_adjustment().get_upper() == 2 and "at most 2" in zoom.box.get_tooltip_text()
    assert theme.control.get_sensitive() and theme.control.get_active_text() == "plain"
    assert [row[0] for row in theme.control.get_model()] == ["plain", "dark"]

    # What the user chooses is stored.
    zoom.control.set_value(1.5)
    theme.control.set_active_id("dark")
    assert defaults["ZoomLevel"] == 1.5 and defaults["Theme"] == "dark" and page.message.get_text() == ""

    # A lesson begins, and ends, while the page is open.
    assert downloads.control.get_sensitive() and downloads.control.get_active()
    policy('{ "Identifier": "lesson", "Contact": "room 1", "Forced": { "org.example.Browser": { "AllowDownloads": false } } }')
    assert wait(lambda: not downloads.control.get_sensitive())
    assert not downloads.control.get_active() and "ask: room 1" in downloads.box.get_tooltip_text()
    if len(sys.argv) > 3:
        assert wait(lambda: not Gtk.events_pending())
        window = page.get_window()
        picture = Gdk.pixbuf_get_from_window(window, 0, 0, window.get_width(), window.get_height())
        picture.savev(sys.argv[3], "png", [], [])
    policy('{ "Identifier": "lesson" }')
    assert wait(downloads.control.get_sensitive)
    assert downloads.control.get_active() and downloads.box.get_tooltip_text() is None
    page.destroy()
