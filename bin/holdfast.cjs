#!/usr/bin/env node
'use strict';
// Hooks must cost about what starting Node costs, so they have a bundle of their own. The status line, which the client asks
// for after every message, is in it. With options, `mcp` passes through the command line, which checks them.
const [command = '', ...words] = process.argv.slice(2);
const isHelp = words.includes('--help') || words.includes('-h');
if ((command === 'hook' || command === 'statusline') && !isHelp) {
  start('hook', command === 'hook' ? (words[0] ?? 'any') : command);
  // Everything has been written, and skipping Node's teardown of the heap saves a millisecond.
  process.exit();
} else if (command === 'mcp' && words.length === 0) require('../dist/mcp.cjs');
else start('cli', command === 'status' ? command : 'any');

// Compiling takes most of the time of a call, so the code that V8 has compiled for a call is kept for the next one like it.
// V8 trusts such a cache: of the source it compares the length only, and damaged code crashes it. So the file begins with
// what the code was compiled by and from, and has the code twice, because comparing bytes is faster than a digest. It is
// in the user's own folder, because who can write it can run code. If it cannot be used or written, the call is only slower.
function start(bundle, call) {
  const fs = require('node:fs');
  const { isAbsolute, join } = require('node:path');
  const { Script } = require('node:vm');
  const dist = join(__dirname, '../dist');
  const filename = join(dist, `${bundle}.cjs`);
  const source = fs.readFileSync(filename);
  const builtBy = `${process.version} ${process.arch} ${process.execPath}\n`;
  const head = Buffer.concat([Buffer.from(builtBy), source]);
  const config = process.env.CLAUDE_CONFIG_DIR || join(process.env.HOME || '', '.claude');
  const folder = join(config, 'holdfast/cache');
  const cache = join(folder, `${bundle}-${call}.cache`);
  const mayCache = isAbsolute(config) && /^\w+$/.test(call);
  const cachedData = mayCache ? readCode() : undefined;
  const code = `(function (require, __dirname) {${source}\n})`;
  const script = new Script(code, { filename, cachedData });
  if (mayCache && script.cachedDataRejected !== false) {
    // Now, because `uninstall` removes the folder: then nothing is written at the end.
    attempt(() => fs.mkdirSync(folder, { mode: 0o700 }));
    process.once('exit', writeCode);
  }
  script.runInThisContext()(require, dist);

  function readCode() {
    return attempt(() => {
      const file = fs.readFileSync(cache);
      const middle = (head.length + file.length) / 2;
      const isWhole =
        head.compare(file, 0, head.length) === 0 &&
        file.compare(file, middle, file.length, head.length, middle) === 0;
      const isOurs = fs.statSync(cache).uid === (process.getuid?.() ?? 0);
      return isWhole && isOurs ? file.subarray(head.length, middle) : undefined;
    });
  }

  function writeCode() {
    const temporary = `${cache}-${process.pid}`;
    attempt(() => {
      const compiled = script.createCachedData();
      fs.writeFileSync(temporary, Buffer.concat([head, compiled, compiled]), { mode: 0o600 });
      fs.renameSync(temporary, cache);
    });
    // The disk may have been full.
    attempt(() => fs.rmSync(temporary, { force: true }));
  }

  function attempt(work) {
    try {
      return work();
    } catch {
      return undefined;
    }
  }
}
