#!/bin/bash
# Removes keys that older versions left, without minding those that are gone.
defaults write com.example.app OldKey 1
defaults write com.example.app LegacyServer http://example.org
defaults write com.example.app Kept 2
for key in OldKey LegacyServer NeverThere; do
  defaults delete com.example.app "$key" 2>/dev/null || true
done
defaults read com.example.app
defaults rename com.example.app Kept CurrentKey
defaults read com.example.app
defaults delete com.example.app
defaults delete com.example.app 2>&1 | grep -A1 "not found"
defaults find LegacyServer 2>&1 | grep -o "No domain, key, nor value containing 'LegacyServer'"
