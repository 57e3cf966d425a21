// follow.js DOMAIN KEY: prints a setting now and at each change, for Node and for the main process of Electron.
"use strict";
const { spawn } = require("node:child_process");
const { createInterface } = require("node:readline");

// Calls `changed` now and at each change with { domain, settings: { KEY: { forced, value, origin } } }; with { unknown } when
// nothing is known, so that every control is to be locked: what the settings were may be kept.
function follow(domain, changed) {
  const [command, ...options] = (process.env.MDEFAULTS || "mdefaults").split(" ");
  const watch = spawn(command, [...options, "watch", domain, "--json"], { stdio: ["ignore", "pipe", "inherit"] });
  createInterface({ input: watch.stdout }).on("line", (line) => changed(JSON.parse(line)));
  watch.on("error", (error) => changed({ domain, unknown: error.message }));
  watch.on("exit", (code) => changed({ domain, unknown: `mdefaults watch ended with ${code}` }));
  // It ends by itself, too, as soon as nothing reads its output.
  process.on("exit", () => watch.kill());
}

const [domain, key] = process.argv.slice(2);
follow(domain, ({ settings, unknown }) => {
  if (unknown) {
    console.log(`unknown: ${unknown}`);
  } else {
    const { forced = false, value } = settings[key] || {};
    console.log(`${value === undefined ? "none" : value} ${forced ? "forced" : "free"}`);
  }
});
