#!/bin/bash
# Changes a domain with Python's property lists.
defaults write com.example.app Count -int 41
defaults write com.example.app Flag -bool no
defaults write com.example.app Token -data 00ff10
defaults write com.example.app Since -date 2026-11-20T08:00:00Z
defaults write com.example.app List -array a -int 1 -float 0.5
defaults export com.example.app - | python3 -c '
import plistlib, sys
d = plistlib.loads(sys.stdin.buffer.read())
print(sorted(d.items()))
d["Count"] += 1
d["Flag"] = True
d["New"] = {"deep": [1, 2.5, b"x"]}
sys.stdout.flush()
plistlib.dump(d, open("changed.plist", "wb"))
'
defaults import com.example.app changed.plist
defaults read com.example.app
defaults export com.example.app binary.plist
python3 - <<'END'
import plistlib
with open("binary.plist", "rb") as file:
    data = file.read()
print(data[:8])
print(sorted(plistlib.loads(data).items()))
END
