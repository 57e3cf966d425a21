#!/usr/bin/env bash
# Settings as people keep them in their dotfiles.
# Ask for the administrator's password upfront would stand here.

# Expand the save panel by default
defaults write NSGlobalDomain NSNavPanelExpandedStateForSaveMode -bool true
defaults write NSGlobalDomain NSNavPanelExpandedStateForSaveMode2 -bool true

# Key repeat
defaults write NSGlobalDomain KeyRepeat -int 1
defaults write NSGlobalDomain InitialKeyRepeat -int 10
defaults write -g ApplePressAndHoldEnabled -bool false

# Language and text formats
defaults write NSGlobalDomain AppleLanguages -array "en" "nl"
defaults write NSGlobalDomain AppleLocale -string "en_GB@currency=EUR"

# Trackpad and mouse
defaults write com.apple.driver.AppleBluetoothMultitouch.trackpad Clicking -bool true
defaults -currentHost write NSGlobalDomain com.apple.mouse.tapBehavior -int 1
defaults write .GlobalPreferences com.apple.mouse.scaling -1

# Finder
defaults write com.apple.finder QuitMenuItem -bool true
defaults write com.apple.finder NewWindowTarget -string "PfLo"
defaults write com.apple.finder NewWindowTargetPath -string "file://${HOME}/Downloads/"
defaults write com.apple.finder FXInfoPanesExpanded -dict \
	General -bool true \
	OpenWith -bool true \
	Privileges -bool true
defaults write com.apple.desktopservices DSDontWriteNetworkStores -bool true

# Dock
defaults write com.apple.dock tilesize -int 36
defaults write com.apple.dock autohide-delay -float 0
defaults write com.apple.dock autohide-time-modifier -float .5
defaults write com.apple.dock wvous-tl-corner -int 2
defaults write com.apple.dock persistent-apps -array

# Clock
defaults write com.apple.menuextra.clock DateFormat "EEE d MMM HH:mm"

# Terminal
defaults write com.apple.terminal StringEncodings -array 4

for app in "Dock" "Finder"; do
	killall "${app}" > /dev/null 2>&1 || true
done

defaults read com.apple.finder
defaults read com.apple.dock
defaults read -g AppleLanguages
defaults read com.apple.menuextra.clock DateFormat
defaults read com.apple.terminal StringEncodings
defaults -currentHost read -g com.apple.mouse.tapBehavior
defaults read -g com.apple.mouse.scaling
