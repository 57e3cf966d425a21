extension DconfFolders {
    /// The schemas of Debian 12's desktops with the folders of their keys, one group of them a line.
    ///
    /// A line has the beginning of the ids, that of the folders (`=` if it is the same), and the ends that both have; `.`
    /// is no end. A line with a colon has a schema without a folder of its own, and a folder in which it is used, where
    /// `*` is any one name.
    ///
    /// Made from the schema files of the packages of GNOME, MATE and Cinnamon. `Tests/Checks/Programs/conversion` compares
    /// it with those that are installed.
    static let table = """
        ca.desrt.dconf-editor.Settings /ca/desrt/dconf-editor/ .
        org = cinnamon nemo
        org.cinnamon = background desklets keyboard launcher muffin recorder runtime-keybindings sounds theme
        org.cinnamon.control-center = display
        org.cinnamon.desklets = launcher
        org.cinnamon.desktop = a11y.applications a11y.keyboard a11y.magnifier a11y.mouse background
        org.cinnamon.desktop = background.slideshow input-sources interface keybindings keybindings.media-keys
        org.cinnamon.desktop = keybindings.wm lockdown media-handling notifications peripherals peripherals.keyboard
        org.cinnamon.desktop = peripherals.mouse peripherals.touchpad peripherals.trackball privacy screensaver session
        org.cinnamon.desktop = sound thumbnail-cache thumbnailers wm.preferences
        org.cinnamon.desktop.default-applications /org/cinnamon/desktop/applications/ . calculator office
        org.cinnamon.desktop.default-applications /org/cinnamon/desktop/applications/ office.calendar office.tasks
        org.cinnamon.desktop.default-applications /org/cinnamon/desktop/applications/ terminal
        org.cinnamon.muffin = keybindings wayland wayland.keybindings x11
        org.cinnamon.settings-daemon = peripherals peripherals.input-devices peripherals.keyboard peripherals.smartcard
        org.cinnamon.settings-daemon = peripherals.touchscreen plugins plugins.color plugins.csdwacom
        org.cinnamon.settings-daemon = plugins.housekeeping plugins.media-keys plugins.power plugins.xrandr
        org.cinnamon.settings-daemon = plugins.xsettings
        org.freedesktop /desktop/ ibus ibus.general ibus.general.hotkey ibus.panel ibus.panel.emoji
        org.freedesktop.Tracker3.Extract /org/freedesktop/tracker/extract/ .
        org.freedesktop.Tracker3.FTS /org/freedesktop/tracker/fts/ .
        org.freedesktop.Tracker3.Miner.Files /org/freedesktop/tracker/miner/files/ .
        org.gnome / system.locale system.proxy system.proxy.ftp system.proxy.http system.proxy.https system.proxy.socks
        org.gnome /apps/ seahorse
        org.gnome = Characters Console Contacts Disks GWeather4 Geary Music SoundRecorder TextEditor Usage Weather
        org.gnome = baobab calculator calendar caribou clocks eog evolution evolution-data-server gedit
        org.gnome = gnome-screenshot gnome-system-monitor mutter nautilus nm-applet power-manager rhythmbox shell
        org.gnome = software tweaks yelp
        org.gnome.Cheese /org/gnome/cheese/ .
        org.gnome.DejaDup /org/gnome/deja-dup/ .
        org.gnome.Disks = benchmark
        org.gnome.Epiphany /org/gnome/epiphany/ . lockdown reader sync ui
        org.gnome.Evince /org/gnome/evince/ .
        org.gnome.Evince.Default /org/gnome/evince/default/ .
        org.gnome.Evolution.DefaultSources /org/gnome/evolution/ .
        org.gnome.FileRoller /org/gnome/file-roller/ .
        org.gnome.FileRoller.Dialogs /org/gnome/file-roller/dialogs/ .
        org.gnome.FileRoller.Dialogs.Add /org/gnome/file-roller/dialogs/add/ .
        org.gnome.FileRoller.Dialogs.Extract /org/gnome/file-roller/dialogs/extract/ .
        org.gnome.FileRoller.Dialogs.LastOutput /org/gnome/file-roller/dialogs/last-output/ .
        org.gnome.FileRoller.Dialogs.New /org/gnome/file-roller/dialogs/new/ .
        org.gnome.FileRoller.FileSelector /org/gnome/file-roller/file-selector/ .
        org.gnome.FileRoller.General /org/gnome/file-roller/general/ .
        org.gnome.FileRoller.Listing /org/gnome/file-roller/listing/ .
        org.gnome.FileRoller.UI /org/gnome/file-roller/ui/ .
        org.gnome.Logs /org/gnome/logs/ .
        org.gnome.Maps /org/gnome/maps/ .
        org.gnome.SessionManager /org/gnome/gnome-session/ .
        org.gnome.Settings /org/gnome/control-center/ .
        org.gnome.SimpleScan /org/gnome/simple-scan/ .
        org.gnome.Terminal.Legacy.Settings /org/gnome/terminal/legacy/ .
        org.gnome.Terminal.ProfilesList /org/gnome/terminal/legacy/profiles:/ .
        org.gnome.Vino /org/gnome/desktop/remote-access/ .
        org.gnome.baobab = preferences ui
        org.gnome.clocks = state state.window
        org.gnome.desktop = a11y a11y.applications a11y.interface a11y.keyboard a11y.magnifier a11y.mouse app-folders
        org.gnome.desktop = background calendar datetime file-sharing input-sources interface lockdown media-handling
        org.gnome.desktop = notifications peripherals peripherals.keyboard peripherals.mouse peripherals.pointingstick
        org.gnome.desktop = peripherals.touchpad peripherals.trackball privacy remote-desktop remote-desktop.rdp
        org.gnome.desktop = remote-desktop.vnc screensaver search-providers session sound thumbnail-cache thumbnailers
        org.gnome.desktop = wm.keybindings wm.preferences
        org.gnome.desktop.default-applications /org/gnome/desktop/applications/ . office office.calendar office.tasks
        org.gnome.desktop.default-applications /org/gnome/desktop/applications/ terminal
        org.gnome.eog = fullscreen plugins ui view
        org.gnome.evolution = addressbook bogofilter calendar importer mail plugin.attachment-reminder
        org.gnome.evolution = plugin.autocontacts plugin.email-custom-header plugin.external-editor plugin.face-picture
        org.gnome.evolution = plugin.itip plugin.mail-notification plugin.prefer-plain plugin.publish-calendar
        org.gnome.evolution = plugin.sender-validation plugin.templates shell shell.network-config spamassassin
        org.gnome.evolution = text-highlight
        org.gnome.evolution-data-server = addressbook calendar
        org.gnome.evolution.eds-shell /org/gnome/evolution/shell/ .
        org.gnome.gedit = plugins plugins.externaltools plugins.filebrowser plugins.filebrowser.nautilus
        org.gnome.gedit = plugins.pythonconsole plugins.spell plugins.time preferences preferences.editor
        org.gnome.gedit = preferences.encodings preferences.print preferences.ui state state.file-chooser
        org.gnome.gedit = state.history-entry state.window
        org.gnome.gnome-system-monitor = disktreenew memmapstree openfilestree proctree
        org.gnome.mutter = keybindings wayland wayland.keybindings
        org.gnome.nautilus = compression icon-view list-view preferences window-state
        org.gnome.rhythmbox = library player podcast rhythmdb sharing sources
        org.gnome.seahorse.manager /apps/seahorse/listing/ .
        org.gnome.settings-daemon = peripherals peripherals.keyboard peripherals.smartcard peripherals.touchscreen
        org.gnome.settings-daemon = plugins plugins.color plugins.housekeeping plugins.media-keys plugins.power
        org.gnome.settings-daemon = plugins.wwan plugins.xsettings
        org.gnome.shell = app-switcher extensions.apps-menu extensions.auto-move-windows
        org.gnome.shell = extensions.native-window-placement extensions.screenshot-window-sizer extensions.user-theme
        org.gnome.shell = extensions.window-list keybindings overrides weather window-switcher world-clocks
        org.gnome.system = location
        org.gnome.totem /org/gnome/Totem/ .
        org.gtk.Settings.ColorChooser /org/gtk/settings/color-chooser/ .
        org.gtk.Settings.Debug /org/gtk/settings/debug/ .
        org.gtk.Settings.EmojiChooser /org/gtk/settings/emoji-chooser/ .
        org.gtk.Settings.FileChooser /org/gtk/settings/file-chooser/ .
        org.gtk.gtk4.Settings.ColorChooser /org/gtk/gtk4/settings/color-chooser/ .
        org.gtk.gtk4.Settings.Debug /org/gtk/gtk4/settings/debug/ .
        org.gtk.gtk4.Settings.EmojiChooser /org/gtk/gtk4/settings/emoji-chooser/ .
        org.gtk.gtk4.Settings.FileChooser /org/gtk/gtk4/settings/file-chooser/ .
        org.mate /org/mate/desktop/ background file-views font-rendering interface lockdown media-handling session
        org.mate /org/mate/desktop/ session.required-components sound thumbnail-cache thumbnailers typing-break
        org.mate /org/mate/panel/ drivemount
        org.mate = caja control-center debug dictionary disk-usage-analyzer engrampa pluma power-manager screensaver
        org.mate = screenshot search-tool stickynotes system-log terminal
        org.mate.FileSharing /org/mate/desktop/file-sharing/ .
        org.mate.Marco /org/mate/marco/ . general global-keybindings keybinding-commands window-keybindings
        org.mate.Marco /org/mate/marco/ workspace-names
        org.mate.NotificationDaemon /org/mate/notification-daemon/ .
        org.mate.SettingsDaemon /org/mate/settings-daemon/ plugins plugins.a11y-keyboard plugins.a11y-settings
        org.mate.SettingsDaemon /org/mate/settings-daemon/ plugins.background plugins.clipboard plugins.datetime
        org.mate.SettingsDaemon /org/mate/settings-daemon/ plugins.housekeeping plugins.keybindings plugins.keyboard
        org.mate.SettingsDaemon /org/mate/settings-daemon/ plugins.media-keys plugins.mouse plugins.mpris
        org.mate.SettingsDaemon /org/mate/settings-daemon/ plugins.rfkill plugins.smartcard plugins.sound
        org.mate.SettingsDaemon /org/mate/settings-daemon/ plugins.typing-break plugins.xrandr plugins.xrdb
        org.mate.SettingsDaemon /org/mate/settings-daemon/ plugins.xsettings
        org.mate.accessibility-keyboard /org/mate/desktop/accessibility/keyboard/ .
        org.mate.accessibility-startup /org/mate/desktop/accessibility/startup/ .
        org.mate.applications-at /org/mate/desktop/applications/at/ .
        org.mate.applications-at-mobility /org/mate/desktop/applications/at/mobility/ .
        org.mate.applications-at-visual /org/mate/desktop/applications/at/visual/ .
        org.mate.applications-browser /org/mate/desktop/applications/browser/ .
        org.mate.applications-calculator /org/mate/desktop/applications/calculator/ .
        org.mate.applications-messenger /org/mate/desktop/applications/messenger/ .
        org.mate.applications-office /org/mate/desktop/applications/ . calendar tasks
        org.mate.applications-terminal /org/mate/desktop/applications/terminal/ .
        org.mate.caja = compact-view desktop extensions icon-view list-view preferences sidebar-panels
        org.mate.caja = sidebar-panels.tree window-state
        org.mate.control-center = appearance
        org.mate.disk-usage-analyzer = preferences ui
        org.mate.engrampa = dialogs dialogs.add dialogs.batch-add dialogs.extract dialogs.last-output general listing
        org.mate.engrampa = ui
        org.mate.panel /org/mate/panel/general/ .
        org.mate.panel = menubar
        org.mate.peripherals-keyboard /org/mate/desktop/peripherals/keyboard/ .
        org.mate.peripherals-mouse /org/mate/desktop/peripherals/mouse/ .
        org.mate.peripherals-smartcard /org/mate/desktop/peripherals/smartcard/ .
        org.mate.peripherals-touchpad /org/mate/desktop/peripherals/touchpad/ .
        org.mate.pluma = plugins.filebrowser plugins.filebrowser.on-load plugins.pythonconsole plugins.spell
        org.mate.pluma = plugins.time
        org.mate.search-tool = select
        org.mate.terminal = global keybindings profiles
        org.nemo = compact-view desktop icon-view list-view plugins preferences search sidebar-panels window-state
        org.nemo.preferences = menu-config
        org.nemo.sidebar-panels = tree
        org.cinnamon.desktop.keybindings.custom-keybinding /org/cinnamon/desktop/keybindings/custom-keybindings/*/ :
        org.gnome.Epiphany.state /org/gnome/epiphany/state/ :
        org.gnome.Epiphany.web /org/gnome/epiphany/web/ :
        org.gnome.Terminal.Legacy.Keybindings /org/gnome/terminal/legacy/keybindings/ :
        org.gnome.Terminal.Legacy.Profile /org/gnome/terminal/legacy/profiles:/*/ :
        org.gnome.desktop.app-folders.folder /org/gnome/desktop/app-folders/folders/*/ :
        org.gnome.desktop.notifications.application /org/gnome/desktop/notifications/application/*/ :
        org.gnome.desktop.peripherals.tablet /org/gnome/desktop/peripherals/tablets/*/ :
        org.gnome.desktop.peripherals.tablet.pad-button /org/gnome/desktop/peripherals/tablets/*/*/ :
        org.gnome.desktop.peripherals.tablet.stylus /org/gnome/desktop/peripherals/stylus/*/ :
        org.gnome.desktop.peripherals.touchscreen /org/gnome/desktop/peripherals/touchscreens/*/ :
        org.gnome.settings-daemon.plugins.media-keys.custom-keybinding \
        /org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/*/ :
        org.gnome.settings-daemon.plugins.sharing.service /org/gnome/settings-daemon/plugins/sharing/*/ :
        org.mate.control-center.keybinding /org/mate/desktop/keybindings/*/ :
        org.mate.panel.object /org/mate/panel/objects/*/ :
        org.mate.panel.toplevel /org/mate/panel/toplevels/*/ :
        org.mate.panel.toplevel.background /org/mate/panel/toplevels/*/background/ :
        org.mate.terminal.profile /org/mate/terminal/profiles/*/ :
        """
}
