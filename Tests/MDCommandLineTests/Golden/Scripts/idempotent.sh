#!/bin/bash
# Writes only what differs, by type and value, as configuration management does.
ensure() {
  domain=$1 key=$2 type=$3 value=$4
  current_type=$(defaults read-type "$domain" "$key" 2>/dev/null | sed 's/^Type is //')
  current=$(defaults read "$domain" "$key" 2>/dev/null)
  wanted=$value
  if [ "$type" = boolean ]; then case "$value" in true|yes) wanted=1 ;; *) wanted=0 ;; esac; fi
  if [ "$current_type" = "$type" ] && [ "$current" = "$wanted" ]; then
    echo "ok: $domain $key"
  else
    defaults write "$domain" "$key" "-$type" "$value"
    echo "changed: $domain $key ($current_type '$current' to $type '$value')"
  fi
}
for pass in 1 2; do
  ensure com.example.tool Enabled boolean true
  ensure com.example.tool Count integer 7
  ensure com.example.tool Ratio float 0.75
  ensure com.example.tool Name string "two words"
  ensure -g ExampleGlobal boolean no
done
defaults write com.example.tool Count -string 7
ensure com.example.tool Count integer 7
