#!/bin/sh
# Names files of preferences as they lie on a Mac.
defaults write ~/Library/Preferences/com.example.app Server -string "https://example.org"
defaults write "$HOME/Library/Preferences/com.example.app.plist" Retries -int 3
defaults read com.example.app
defaults write /Library/Preferences/com.example.app Server -string "https://all.example.org"
defaults write /Library/Preferences/com.example.app Motd -string "for everybody"
defaults read /Library/Preferences/com.example.app
defaults read com.example.app Server
defaults read com.example.app Motd
defaults delete ~/Library/Preferences/com.example.app Server
defaults read com.example.app Server
