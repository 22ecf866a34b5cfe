'use strict';
// Runs one command after the other for the tests, because starting Node takes longer than most commands. Started by
// resident.ts with the path of the program. Each line from descriptor 3 is a call; its exit code goes to descriptor 4, or to
// the file that the call names.
//
// Every call evaluates the program's files again, so nothing that they keep in memory reaches the next call; only
// their compiled code is kept. The call has the real working folder, environment and arguments, and descriptors 0, 1
// and 2 are files of its own, which child processes inherit as usual. Like a process, a call ends when nothing is left to
// wait for.
const fs = require('node:fs');
const {
  closeSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} = fs;
const { createRequire } = require('node:module');
const { dirname } = require('node:path');
const { Script } = require('node:vm');
const { Worker } = require('node:worker_threads');

// Waiting for the disk takes longer than most calls, and only a power failure could show the difference.
fs.fsyncSync = () => undefined;

const REQUESTS = 3;
const REPLIES = 4;
const [program, folder] = process.argv.slice(2);
const ownListeners = new Map();

const LIMIT_MS = 300_000;
/** How many calls have begun or ended, odd while one runs; and whether the thread that watches them has started. */
const calls = new Int32Array(new SharedArrayBuffer(8));

/** In a thread of its own, because a call that hangs may be one that waits for a child process. */
function watch() {
  const { appendFileSync } = require('node:fs');
  const { workerData } = require('node:worker_threads');
  Atomics.store(workerData.calls, 1, 1);
  Atomics.notify(workerData.calls, 1);
  for (;;) {
    const number = Atomics.load(workerData.calls, 0);
    const limit = number % 2 === 0 ? Infinity : workerData.limit;
    if (Atomics.wait(workerData.calls, 0, number, limit) !== 'timed-out')
      continue;
    appendFileSync(workerData.errors, `no reply after ${limit / 1000} s\n`);
    process.kill(process.pid, 'SIGKILL');
  }
}

/** Thrown by `process.exit`, so that the code after it does not run. */
const EXIT = new Error('the call has ended');
let exitCode;
let replyFile;
process.exit = (code) => {
  exitCode = code ?? process.exitCode ?? 0;
  throw EXIT;
};

process.on('uncaughtException', (error) => {
  if (error === EXIT) return;
  reply({ crash: error instanceof Error ? error.stack : String(error) });
  process.reallyExit(1);
});
process.on('beforeExit', () => {
  endCall();
  beginCall();
});
new Worker(`(${watch.toString()})()`, {
  eval: true,
  workerData: { calls, limit: LIMIT_MS, errors: `${folder}/errors` },
}).unref();
// As long as it starts, it opens files, which would take the descriptors of a call.
Atomics.wait(calls, 1, 0);
for (const name of process.eventNames())
  ownListeners.set(name, process.listeners(name));
beginCall();

function beginCall() {
  const { words, cwd, env, input, stdout, stderr, ...call } =
    JSON.parse(readLine());
  replyFile = call.reply;
  reopen(0, input, 'r');
  reopen(1, stdout, 'a');
  reopen(2, stderr, 'a');
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, program, ...words];
  process.exitCode = undefined;
  exitCode = undefined;
  countCall();
  setImmediate(startProgram);
}

function endCall() {
  const code = exitCode ?? process.exitCode ?? 0;
  process.emit('exit', code);
  for (const name of process.eventNames())
    for (const listener of process.listeners(name))
      if (!ownListeners.get(name)?.includes(listener))
        process.removeListener(name, listener);
  countCall();
  reply({ code });
}

function countCall() {
  Atomics.add(calls, 0, 1);
  Atomics.notify(calls, 0);
}

function reply(answer) {
  const line = `${JSON.stringify(answer)}\n`;
  if (replyFile === undefined) {
    writeSync(REPLIES, line);
    return;
  }
  // Renamed, so that nobody reads a part of it.
  writeFileSync(`${replyFile}.part`, line);
  renameSync(`${replyFile}.part`, replyFile);
}

/** Waits without the event loop, which has nothing to do between two calls. */
function readLine() {
  let line = '';
  const chunk = Buffer.alloc(65_536);
  while (!line.endsWith('\n')) {
    const length = readSync(REQUESTS, chunk);
    if (length === 0) {
      // The tests have ended.
      rmSync(folder, { recursive: true, force: true });
      process.reallyExit(0);
    }
    line += chunk.toString('latin1', 0, length);
  }
  return Buffer.from(line, 'latin1').toString();
}

/** The system gives a new file the lowest number that is free. */
function reopen(descriptor, path, flags) {
  closeSync(descriptor);
  if (openSync(path, flags) !== descriptor)
    throw new Error(`${descriptor} is not free`);
}

/** Evaluates bin/holdfast.cjs. What it requires are files of dist/, which are evaluated as well, and modules of Node. */
function startProgram() {
  evaluate(program, {
    'node:fs': { ...fs, readFileSync: readOnce },
    'node:vm': { Script: BundleScript },
  });
}

function evaluate(file, standIns) {
  const text = readOnce(file, 'utf8').replace(/^#!.*/, '');
  const code = `(function (exports, require, module, __filename, __dirname) {${text}\n})`;
  const module = { exports: {} };
  const run = compileOnce(code, { filename: file }).runInThisContext();
  run(module.exports, requireFor(file, standIns), module, file, dirname(file));
  return module.exports;
}

function requireFor(file, standIns) {
  const original = createRequire(file);
  return (name) => {
    if (name in standIns) return standIns[name];
    if (!name.startsWith('.')) return original(name);
    return evaluate(original.resolve(name), {});
  };
}

/** bin/holdfast.cjs compiles the bundles itself and gives them its own `require`. It need not keep what V8 has compiled. */
function BundleScript(code, { filename }) {
  const script = compileOnce(code, { filename });
  return {
    cachedDataRejected: false,
    runInThisContext:
      () =>
      (_require, ...rest) =>
        script.runInThisContext()(requireFor(filename, {}), ...rest),
  };
}

const scripts = new Map();

function compileOnce(code, options) {
  const script = scripts.get(options.filename) ?? new Script(code, options);
  scripts.set(options.filename, script);
  return script;
}

const contents = new Map();

function readOnce(path, encoding) {
  if (!path.startsWith(dirname(dirname(program))))
    return readFileSync(path, encoding);
  if (contents.has(path)) return contents.get(path);
  const content = readFileSync(path, encoding);
  contents.set(path, content);
  // The text of a bundle is large, too.
  const text = content.latin1Slice?.();
  if (text !== undefined) content.latin1Slice = () => text;
  return content;
}
