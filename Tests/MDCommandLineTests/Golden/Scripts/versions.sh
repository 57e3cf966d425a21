#!/bin/sh
# Asks applications for their versions, and stamps one.
mkdir -p Example.app/Contents Other.app/Contents
cat > Example.app/Contents/Info.plist <<END
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>CFBundleIdentifier</key>
	<string>com.example.app</string>
	<key>CFBundleShortVersionString</key>
	<string>1.2.3</string>
	<key>CFBundleVersion</key>
	<string>45</string>
</dict>
</plist>
END
for app in ./*.app; do
  if version=$(defaults read "$app/Contents/Info" CFBundleShortVersionString 2>/dev/null); then
    echo "$app $version"
  else
    echo "$app has no version"
  fi
done
build=$(defaults read ./Example.app/Contents/Info.plist CFBundleVersion)
defaults write ./Example.app/Contents/Info CFBundleVersion -string "$((build + 1))"
defaults read ./Example.app/Contents/Info.plist CFBundleVersion
head -1 Example.app/Contents/Info.plist
