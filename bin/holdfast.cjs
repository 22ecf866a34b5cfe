#!/usr/bin/env node
'use strict';
// Hooks must cost about what starting Node costs, so they have a bundle of their own. The status line, which the client asks
// for after every message, is in it. With options, `mcp` passes through the command line, which checks them.
const [command = '', ...words] = process.argv.slice(2);
// At the start of a file that is kept: for which Node and bundle it is, and after which kinds of calls.
const HEADER_LENGTH = 1_000;
const isHelp = words.includes('--help') || words.includes('-h');
// What the shell decides is decided there, however the hook was called.
const [event = ''] = words;
if (command === 'hook' && event === 'FileChanged' && !isHelp) {
  const line = [
    '-c',
    'e=$1; f=$2; . "$f"',
    'sh',
    event,
    `${__dirname}/hook.sh`,
  ];
  const shell = require('node:child_process').spawnSync('sh', line, {
    stdio: 'inherit',
  });
  process.exit(shell.status ?? 0);
}
if ((command === 'hook' || command === 'statusline') && !isHelp) {
  start('hook', command === 'hook' ? (words[0] ?? 'any') : command);
  // Everything has been written: Node's teardown of the heap would only take time.
  process.exit();
} else if (command === 'mcp' && words.length === 0) require('../dist/mcp.cjs');
else start('cli', command === 'status' ? command : 'any');

// Compiling takes most of the time of a call, so what V8 has compiled, functions that ran included, is kept for the next
// call like it, and again after the first call that does more: a hook tells what kind of call it was. It is kept in the
// user's own folder, because who can write it can run code. V8 would crash on half a file, so it is on the disk before it
// gets its name. If it cannot be read or written, the call is only slower.
function start(bundle, call) {
  const fs = require('node:fs');
  const { Script } = require('node:vm');
  const filename = `${__dirname}/../dist/${bundle}.cjs`;
  const { size, mtimeMs } = fs.statSync(filename);
  const { isAbsolute, resolve } = require('node:path');
  // A relative folder, or the working directory as /proc shows it, may be one that a repository brings along.
  const named = process.env.CLAUDE_CONFIG_DIR || '';
  const isOfUser = isAbsolute(named) && !resolve(named).startsWith('/proc/');
  const config = isOfUser ? named : `${process.env.HOME}/.claude`;
  const folder = `${config}/holdfast/cache`;
  const cache = `${folder}/${bundle}-${call.replace(/\W/g, '')}.cache`;
  const mayKeep = isAbsolute(config);
  const key = `${process.version} ${process.arch} ${process.execPath} ${size} ${mtimeMs}:`;
  const file = mayKeep ? attempt(() => fs.readFileSync(cache)) : undefined;
  const header = file?.toString('utf8', 0, HEADER_LENGTH) ?? '';
  const cachedData = header.startsWith(key)
    ? file.subarray(HEADER_LENGTH)
    : undefined;
  // The build leaves nothing but ASCII in it.
  const source = `(function (require, __dirname, loaded) {${fs.readFileSync(filename, 'latin1')}\n})`;
  const script = new Script(source, { filename, cachedData });
  const kinds =
    script.cachedDataRejected === false
      ? header.slice(key.length).trimEnd().split(' ')
      : [];
  // Now, because `uninstall` removes the folder: then nothing is written at the end.
  if (mayKeep && kinds.length === 0)
    attempt(() => fs.mkdirSync(folder, { mode: 0o700 }));
  // Each file of the bundle asks for its own modules: the same few, dozens of times.
  const modules = {};
  const requireOnce = (name) => (modules[name] ??= require(name));
  const loaded = { kind: 'any' };
  script.runInThisContext()(requireOnce, `${__dirname}/../dist`, loaded);
  // A hook has ended by now; a command may go on.
  if (bundle === 'hook') keep();
  else if (kinds.length === 0) process.once('exit', keep);

  function keep() {
    if (!mayKeep || kinds.includes(loaded.kind)) return;
    const temporary = `${cache}-${process.pid}`;
    attempt(() => {
      const output = fs.openSync(temporary, 'wx', 0o600);
      const head = Buffer.alloc(HEADER_LENGTH, ' ');
      head.write(`${key}${[...kinds, loaded.kind].join(' ')}`);
      fs.writevSync(output, [head, script.createCachedData()]);
      fs.fsyncSync(output);
      fs.renameSync(temporary, cache);
    });
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
