#!/bin/bash
# Brings what read printed back with write.
defaults write com.example.app Text 'tab	"quotes" \ é 😀'
defaults write com.example.app Lines "$(printf 'a\nb')"
defaults write com.example.app Nested '{ list = (a, "b c", (), {}); "key with blanks" = { x = y; }; }'
defaults write com.example.copy "$(defaults read com.example.app)"
[ "$(defaults export com.example.app -)" = "$(defaults export com.example.copy -)" ] && echo same
defaults write com.example.copy Nested "$(defaults read com.example.app Nested)"
[ "$(defaults read com.example.app Nested)" = "$(defaults read com.example.copy Nested)" ] && echo same
# Numbers come back as texts, and data not at all.
defaults write com.example.app Count -int 5
defaults write com.example.copy "$(defaults read com.example.app)"
defaults read-type com.example.copy Count
defaults write com.example.app Bytes -data 010203
defaults write com.example.copy "$(defaults read com.example.app)"
defaults read com.example.copy Bytes
