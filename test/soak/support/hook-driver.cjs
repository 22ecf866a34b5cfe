'use strict';
// Runs the built hook code many times in one process: each line of standard input is a payload, each line of the answer
// what the hook wrote, as JSON. Every call gets the code afresh, as a process of its own would.
const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { createInterface } = require('node:readline');
const { Script } = require('node:vm');

const [loader] = process.argv.slice(2);
const text = fs.readFileSync(loader, 'utf8');
const script = new Script(
  `(function (require, __filename, __dirname) {${text}\n})`,
  {
    filename: loader,
  },
);
const load = createRequire(loader);
process.argv = process.argv.slice(0, 2);
// The last that the loader does is to end its process; this one goes on.
process.exit = () => undefined;

function call(payload) {
  const bytes = Buffer.from(payload);
  const output = { stdout: '', stderr: '' };
  let read = 0;
  const replaced = {
    ...fs,
    readSync: (file, buffer, ...rest) => {
      if (file !== 0) return fs.readSync(file, buffer, ...rest);
      const length = bytes.copy(buffer, 0, read);
      read += length;
      return length;
    },
    writeSync: (file, content, ...rest) => {
      if (file !== 1 && file !== 2) return fs.writeSync(file, content, ...rest);
      output[file === 1 ? 'stdout' : 'stderr'] += String(content);
      return Buffer.byteLength(content);
    },
  };
  const began = performance.now();
  const replacedRequire = (name) =>
    name === 'node:fs' ? replaced : load(name);
  script.runInThisContext()(replacedRequire, loader, path.dirname(loader));
  return { ...output, ms: performance.now() - began };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  fs.writeSync(1, `${JSON.stringify(call(line))}\n`);
});
