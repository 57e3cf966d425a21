#!/bin/bash
# Finds out what a change changed.
defaults write com.example.app Before -int 1
defaults read > before.txt
defaults write com.example.app Color '{ r = 1; g = 0.5; b = 0; }'
defaults write com.example.app List -array-add first "second one"
defaults read > after.txt
diff before.txt after.txt
