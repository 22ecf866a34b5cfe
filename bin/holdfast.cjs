#!/usr/bin/env node
'use strict';
// Hooks must cost about what starting Node costs: they never pass through the command line's bundle. The MCP server is
// a bundle of its own; with options it is reached through the command line, which checks them. `status` and `list`, which
// people put into their prompts, have the command line without the other commands. `statusline` is called after every message
// and never fails: only for its help it goes through the command line.
const [command, ...more] = process.argv.slice(2);
if (command === 'hook' && !more.includes('--help') && !more.includes('-h'))
  require('../dist/hook.cjs');
else if (command === 'mcp' && more.length === 0) require('../dist/mcp.cjs');
else if (command === 'status' || command === 'list') start('cli-status');
else if (command === 'statusline' && !more.includes('--help') && !more.includes('-h'))
  start('cli-statusline');
else start('cli');

// Compiling takes most of the time of a command, so a bundle is started with V8's code cache if there is one for it and
// for this version of Node: see src/install/runtime/command-caches.ts. V8 only compares the length of the source, so the
// digest that ends the bundle is a part of the cache's name.
function start(bundle) {
  const { readFileSync } = require('node:fs');
  const { join } = require('node:path');
  const { Script } = require('node:vm');
  const folder = join(__dirname, '../dist');
  const file = join(folder, `${bundle}.cjs`);
  const source = readFileSync(file, 'latin1');
  const name = `${bundle}-${source.slice(-13, -1)}-${process.version}-${process.arch}.cache`;
  let cachedData;
  try {
    cachedData = readFileSync(join(folder, name));
  } catch {
    // Without a cache, or with one that V8 rejects, the source is compiled.
  }
  const code = `(function (require, module, exports, __filename, __dirname) {${source}\n})`;
  const script = new Script(code, { filename: file, cachedData });
  script.runInThisContext()(require, module, exports, file, folder);
}
