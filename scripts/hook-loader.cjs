'use strict';
// Compiling is most of the cost of a hook, so its code is loaded with V8's code cache if there is one for it and for this
// version of Node. If there is none, or V8 rejects it, the code is compiled as usual. The code ends with a digest of
// itself, so that an update can replace one file after the other.
const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');

function cacheOf(code) {
  try {
    const name = `hook-${code.slice(-13, -1)}-${process.version}-${process.arch}.cache`;
    return readFileSync(`${__dirname}/${name}`);
  } catch {
    return undefined;
  }
}

// V8 accepts the cache only with the options that it was made for. bin/hook.sh starts Node with this one; where there is
// no such shell, it is set here.
const option = '--no-rehash-snapshot';
if (!process.execArgv.includes(option)) require('node:v8').setFlagsFromString(option);

const filename = `${__dirname}/hook-code.cjs`;
const code = readFileSync(filename, 'utf8');
const script = new Script(code, { filename, cachedData: cacheOf(code) });
script.runInThisContext()(require, process, __dirname);

// Everything has been written, and skipping Node's teardown of the heap saves a millisecond.
process.exit();
