#!/bin/sh
# Reads settings with something to fall back on.
set -eu
delay=$(defaults read com.apple.dock autohide-delay 2>/dev/null || echo 0.5)
echo "delay $delay"
defaults write com.apple.dock autohide-delay -float 0
delay=$(defaults read com.apple.dock autohide-delay 2>/dev/null || echo 0.5)
echo "delay $delay"
style=$(defaults read -g AppleInterfaceStyle 2>/dev/null || true)
[ "$style" = "Dark" ] && echo dark || echo light
defaults write -g AppleInterfaceStyle Dark
if [ "$(defaults read -g AppleInterfaceStyle 2>/dev/null)" = "Dark" ]; then echo dark; else echo light; fi
if defaults read com.example.none >/dev/null 2>&1; then echo there; else echo "not there"; fi
message=$(defaults read com.example.none key 2>&1) || true
case "$message" in *"does not exist"*) echo "as expected" ;; *) echo "other text: $message" ;; esac
defaults read com.example.none key 2>&1 | tail -1
