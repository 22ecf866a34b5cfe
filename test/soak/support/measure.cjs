'use strict';
// Tells how much memory the process had at most, in KB, to whoever named a file for it, and whether input got into
// what all objects have.
const { readFileSync, writeFileSync, writeSync } = require('node:fs');

const inherited = () =>
  [Object, Array, Function, String]
    .flatMap(({ prototype }) => Reflect.ownKeys(prototype))
    .map(String)
    .join();
const before = inherited();

// On Linux `maxRSS` counts from before the program was loaded: it would be that of the suite.
function kilobytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
}

process.on('exit', () => {
  const path = process.env.HOLDFAST_SOAK_MEMORY;
  if (path) writeFileSync(path, String(kilobytes()));
  if (inherited() !== before) writeSync(2, 'POLLUTED: objects have new members\n');
});
