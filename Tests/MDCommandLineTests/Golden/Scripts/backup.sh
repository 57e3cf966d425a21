#!/bin/bash
# Backs every domain up, destroys one, and brings it back.
backup=./backup
mkdir -p "$backup"
defaults write com.example.app Volume -float 0.25
defaults write com.example.app Seen -date "2026-11-20 08:00:00 +0000"
defaults write com.example.app Window -dict x -int 10 y -int 20
for domain in $(defaults domains | sed 's/,//g'); do
  defaults export "$domain" "$backup/$domain.plist" 2>/dev/null || echo "nothing of my own in $domain"
done
defaults export -g "$backup/NSGlobalDomain.plist" 2>/dev/null || echo "nothing of my own in NSGlobalDomain"
ls "$backup"
before="$(defaults read com.example.app)"
defaults delete com.example.app
defaults read com.example.app 2>&1 | grep -q "does not exist" && echo gone
defaults import com.example.app "$backup/com.example.app.plist"
[ "$before" = "$(defaults read com.example.app)" ] && echo restored
for key in Volume Seen Window; do defaults read-type com.example.app $key; done
