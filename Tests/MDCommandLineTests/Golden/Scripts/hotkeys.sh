#!/bin/sh
# Switches shortcuts off and on.
defaults write com.apple.symbolichotkeys.plist AppleSymbolicHotKeys -dict-add 64 "
  <dict>
    <key>enabled</key><false/>
    <key>value</key><dict>
      <key>type</key><string>standard</string>
      <key>parameters</key>
      <array>
        <integer>65535</integer>
        <integer>49</integer>
        <integer>1048576</integer>
      </array>
    </dict>
  </dict>
"
defaults write com.apple.symbolichotkeys AppleSymbolicHotKeys -dict-add 65 '{ enabled = 0; value = { parameters = (32, 49, 1572864); type = standard; }; }'
defaults write com.apple.universalaccess com.apple.custommenu.apps -array-add "com.apple.finder"
defaults write com.apple.finder NSUserKeyEquivalents -dict-add "Show Original" '@$r' "New Folder" '@~n'
defaults read com.apple.symbolichotkeys AppleSymbolicHotKeys
defaults read com.apple.finder NSUserKeyEquivalents
defaults write com.apple.mail NSUserKeyEquivalents -dict-add "Send" "@\U21a9"
defaults read com.apple.mail NSUserKeyEquivalents
defaults read-type com.apple.symbolichotkeys AppleSymbolicHotKeys
