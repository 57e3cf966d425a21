#!/bin/sh
# Settings of this machine only, beside those that move with the home.
defaults -currentHost write com.apple.screensaver idleTime -int 300
defaults -currentHost write com.apple.screensaver moduleDict -dict moduleName -string "Flurry" path -string "/System/Library/Screen Savers/Flurry.saver" type -int 0
defaults write com.apple.screensaver idleTime -int 600
defaults write com.apple.screensaver askForPassword -int 1
echo "here: $(defaults -currentHost read com.apple.screensaver idleTime)"
echo "in effect: $(defaults read com.apple.screensaver idleTime)"
defaults -currentHost read com.apple.screensaver
defaults -currentHost delete com.apple.screensaver idleTime
echo "in effect: $(defaults read com.apple.screensaver idleTime)"
defaults -host localhost read com.apple.screensaver idleTime 2>&1
for key in $(defaults -currentHost read com.apple.screensaver | awk '/^    [A-Za-z]/ {print $1}'); do echo "key $key"; done
