#!/bin/zsh
# Shows or hides hidden files, each time the other.
toggle() {
  STATUS=$(defaults read com.apple.finder AppleShowAllFiles 2>/dev/null)
  if [ "$STATUS" = YES ] || [ "$STATUS" = 1 ]; then
    defaults write com.apple.finder AppleShowAllFiles -bool NO
  else
    defaults write com.apple.finder AppleShowAllFiles -bool YES
  fi
  defaults read com.apple.finder AppleShowAllFiles
}
toggle
toggle
toggle
defaults write com.apple.finder AppleShowAllFiles YES
defaults read-type com.apple.finder AppleShowAllFiles
toggle
