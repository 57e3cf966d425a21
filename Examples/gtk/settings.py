#!/usr/bin/python3
"""settings: a page of settings in GTK 3. A control is locked while an administrator forces its key; its tooltip says why.

settings.py [--root DIR --user NAME]

Each control follows policy while the page is open: a lesson ends, and the control is free.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

from managed_defaults import ManagedDefaults, ManagedDefaultsError, WriteError  # noqa: E402

APPLICATION = "org.example.Browser"


def reason(defaults: ManagedDefaults, key: str) -> str:
    """Why a key is locked: what is set, by whom to have it changed, and since when, by whom and why it is so."""
    entry = defaults.forced_by(key)
    if entry is None:
        allowed = defaults.allowed(key)
        return "" if allowed is None else f"Must be {allowed.requirement}."
    introduction = defaults.introduction(key)
    texts = [entry.message, entry.summary, introduction.message if introduction else None]
    return "\n".join(text for text in texts if text)


class Row:
    """A setting: its name, its control, and a lock that is shown while the key is forced."""

    def __init__(self, page: Page, key: str, title: str, control: Gtk.Widget) -> None:
        self.page, self.key, self.control = page, key, control
        self.lock = Gtk.Image.new_from_icon_name("changes-prevent-symbolic", Gtk.IconSize.BUTTON)
        self.lock.set_no_show_all(True)
        self.box = Gtk.Box(spacing=12)
        self.box.pack_start(Gtk.Label(label=title, xalign=0), True, True, 0)
        self.box.pack_start(control, False, False, 0)
        self.box.pack_start(self.lock, False, False, 0)

    def show(self) -> None:
        """Shows the value, and locks the control if the key is forced."""
        forced = self.page.defaults.is_forced(self.key)
        self.control.set_sensitive(not forced)
        self.lock.set_visible(forced)
        # The tooltip is that of the whole row, and screen readers say it of the control.
        text = reason(self.page.defaults, self.key)
        self.box.set_tooltip_text(text or None)
        self.control.get_accessible().set_description(text)
        self.read()

    def read(self) -> None:
        """Shows the value."""

    def write(self, value: Any) -> None:
        """Stores what the user chose; says why not if it is not in effect."""
        if self.page.is_reading:
            return
        try:
            self.page.defaults[self.key] = value
        except WriteError as error:
            self.page.say(str(error))
            self.page.show_row(self)


class Text(Row):
    def __init__(self, page: Page, key: str, title: str) -> None:
        super().__init__(page, key, title, Gtk.Entry(width_chars=28))
        self.control.connect("changed", lambda entry: self.write(entry.get_text()))

    def read(self) -> None:
        value = self.page.defaults.get(self.key, "")
        if self.control.get_text() != value:
            self.control.set_text(value)


class Slider(Row):
    def __init__(self, page: Page, key: str, title: str, least: float, most: float) -> None:
        super().__init__(page, key, title, Gtk.Scale(digits=1, width_request=220))
        self.least, self.most = least, most
        self.control.connect("value-changed", lambda scale: self.write(scale.get_value()))

    def read(self) -> None:
        allowed = self.page.defaults.allowed(self.key)
        least = self.least if allowed is None or allowed.minimum is None else max(self.least, allowed.minimum)
        most = self.most if allowed is None or allowed.maximum is None else min(self.most, allowed.maximum)
        self.control.set_range(least, max(least, most))
        self.control.set_value(self.page.defaults.get(self.key, 1.0))


class Switch(Row):
    def __init__(self, page: Page, key: str, title: str) -> None:
        super().__init__(page, key, title, Gtk.Switch(halign=Gtk.Align.END))
        self.control.connect("notify::active", lambda switch, _: self.write(switch.get_active()))

    def read(self) -> None:
        self.control.set_active(self.page.defaults.get(self.key, True))


class Menu(Row):
    def __init__(self, page: Page, key: str, title: str, choices: list[str]) -> None:
        super().__init__(page, key, title, Gtk.ComboBoxText())
        self.choices = choices
        self.control.connect("changed", lambda menu: self.write(menu.get_active_text()))

    def read(self) -> None:
        allowed = self.page.defaults.allowed(self.key)
        value = self.page.defaults.get(self.key, self.choices[0])
        choices = self.choices if allowed is None or allowed.choices is None else allowed.choices
        shown = [str(choice) for choice in choices]
        self.control.remove_all()
        for choice in shown if value in shown else [value, *shown]:
            self.control.append(choice, choice)
        self.control.set_active_id(value)


class Page(Gtk.Window):
    """The page."""

    def __init__(self, defaults: ManagedDefaults) -> None:
        super().__init__(title="Settings", border_width=18)
        self.defaults, self.is_reading = defaults, False
        self.message = Gtk.Label(wrap=True, xalign=0, max_width_chars=60)
        self.rows: list[Row] = [
            Text(self, "HomePage", "Home page"),
            Slider(self, "ZoomLevel", "Zoom", 0.5, 4),
            Switch(self, "AllowDownloads", "Downloads"),
            Menu(self, "Theme", "Theme", ["plain", "dark", "bright"]),
        ]
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12)
        for row in self.rows:
            box.pack_start(row.box, False, False, 0)
        box.pack_start(self.message, False, False, 0)
        self.add(box)
        self.watch = defaults.watch()
        GLib.io_add_watch(self.watch.fileno(), GLib.IO_IN, self.changed)
        self.show_all()
        for row in self.rows:
            self.show_row(row)

    def show_row(self, row: Row) -> None:
        """Shows a row as it is now."""
        self.is_reading = True
        row.show()
        self.is_reading = False

    def say(self, text: str) -> None:
        self.message.set_text(text)

    def changed(self, source: int, condition: GLib.IOCondition) -> bool:
        """Shows the rows again whose keys have changed."""
        keys = {change.key for change in self.watch.take()}
        for row in self.rows:
            if row.key in keys or None in keys:
                self.show_row(row)
        return True


def main() -> int:
    parser = argparse.ArgumentParser(prog="settings")
    parser.add_argument("--root")
    parser.add_argument("--user")
    options = parser.parse_args()
    try:
        with ManagedDefaults(APPLICATION, root=options.root, user=options.user) as defaults:
            Page(defaults).connect("destroy", lambda _: Gtk.main_quit())
            Gtk.main()
    except ManagedDefaultsError as error:
        print(f"settings: {error}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
