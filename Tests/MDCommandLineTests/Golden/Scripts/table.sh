#!/bin/sh
# Settings from a table.
while IFS='|' read -r domain key type value; do
  case "$domain" in ''|\#*) continue ;; esac
  defaults write "$domain" "$key" "-$type" "$value" || echo "failed: $domain $key"
done <<'END'
# domain|key|type|value
com.example.table|Enabled|bool|TRUE
com.example.table|Count|int|  12
com.example.table|Ratio|float|1e-3
com.example.table|Name|string|-n
com.example.table|Token|data|DEADBEEF
com.example.table|Since|date|2026-01-02T03:04:05Z
NSGlobalDomain|com.example.key with blanks|integer|-3
com.example.table|Broken|int|twelve
END
defaults read com.example.table
defaults read -g "com.example.key with blanks"
