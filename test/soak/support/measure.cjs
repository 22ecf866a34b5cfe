'use strict';
// Writes the peak memory of the process in KB to the file named by HOLDFAST_SOAK_MEMORY, and whether input has changed
// Object.prototype.
const { readFileSync, writeFileSync, writeSync } = require('node:fs');

const inherited = () =>
  [Object, Array, Function, String]
    .flatMap(({ prototype }) => Reflect.ownKeys(prototype))
    .map(String)
    .join();
const before = inherited();

// On Linux `maxRSS` includes the time before exec, when the process was a copy of the test suite.
function kilobytes() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS;
  return Number(
    /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1],
  );
}

process.on('exit', () => {
  const path = process.env.HOLDFAST_SOAK_MEMORY;
  if (path) writeFileSync(path, String(kilobytes()));
  if (inherited() !== before)
    writeSync(2, 'POLLUTED: objects have new members\n');
});
