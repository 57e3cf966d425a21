#!/bin/sh
# Looks at exports with plutil, and changes them.
defaults write com.example.app Name "a & b"
defaults write com.example.app Count -int 7
defaults write com.example.app List -array x "y z"
defaults write com.example.app Since -date 2026-11-20T08:00:00.25Z
defaults export com.example.app out.plist
plutil -lint out.plist
defaults export com.example.app - > xml.plist
plutil -lint xml.plist
plutil -extract Name raw xml.plist
plutil -extract Since raw xml.plist
plutil -convert xml1 out.plist && defaults import com.example.copy out.plist
plutil -replace Count -integer 8 out.plist
plutil -insert New -xml "<dict><key>deep</key><true/></dict>" out.plist
defaults import com.example.copy out.plist
defaults read com.example.copy
plutil -convert json -o - out.plist > out.json
defaults import com.example.json out.json || defaults read com.example.json
plutil -convert binary1 -o binary.plist xml.plist && defaults import com.example.third binary.plist
defaults read com.example.third
# What we export as XML keeps the fraction of a second for ourselves, and others read the second.
defaults import com.example.fourth xml.plist
[ "$(defaults export com.example.app -)" = "$(defaults export com.example.fourth -)" ] && echo same
grep -A1 Since xml.plist
