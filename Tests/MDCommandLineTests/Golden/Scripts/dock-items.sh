#!/bin/bash
# Puts applications and spacers into the Dock.
dockutil_add() {
  defaults write com.apple.dock persistent-apps -array-add "<dict><key>tile-data</key><dict><key>file-data</key><dict><key>_CFURLString</key><string>$1</string><key>_CFURLStringType</key><integer>0</integer></dict></dict></dict>"
}
defaults delete com.apple.dock persistent-apps 2>/dev/null
defaults write com.apple.dock persistent-apps -array
dockutil_add "/Applications/Safari.app"
dockutil_add "/Applications/Some & Other.app" || echo "an ampersand needs &amp;"
dockutil_add "/Applications/Mail.app"
defaults write com.apple.dock persistent-apps -array-add '{"tile-type"="spacer-tile";}'
defaults write com.apple.dock persistent-others -array-add '{tile-data={}; tile-type=small-spacer-tile;}'
defaults read com.apple.dock persistent-apps
defaults read com.apple.dock persistent-others
defaults read com.apple.dock persistent-apps | grep -c _CFURLString\"
