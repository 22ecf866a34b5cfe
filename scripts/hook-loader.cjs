'use strict';
// Compiling is most of the cost of a hook, so the code, which is the last line of this file, is loaded with V8's code
// cache if there is one for this version of Node. If there is none, or V8 rejects it, the code is compiled as usual.
const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');

function cache() {
  try {
    const name = `hook-__DIGEST__-${process.version}-${process.arch}.cache`;
    return readFileSync(`${__dirname}/${name}`);
  } catch {
    return undefined;
  }
}

const text = readFileSync(__filename, 'utf8');
const code = text.slice(text.indexOf('\n//(') + 3);
const script = new Script(code, { filename: __filename, cachedData: cache() });
script.runInThisContext()(require, process, __dirname);

// Everything has been written, and skipping Node's teardown of the heap saves a millisecond.
process.exit();
