'use strict';
// The entry runs first; if it finds nothing to do, the rest is never compiled. Compiling is most of the cost of a hook,
// so the rest is loaded with V8's code cache if there is one for this version of Node. If there is none, or V8 rejects
// it, the same code is compiled as usual.
const { readCall } = ((module) => {
  /* __ENTRY__ */
  return module.exports;
})({});

// The last line of this file.
function code() {
  const text = require('node:fs').readFileSync(__filename, 'latin1');
  return text.slice(text.lastIndexOf('\n//') + 3);
}

function cache() {
  try {
    const name = `hook-__DIGEST__-${process.version}-${process.arch}.cache`;
    return require('node:fs').readFileSync(`${__dirname}/${name}`);
  } catch {
    return undefined;
  }
}

const call = readCall();
if (call !== null) {
  const { Script } = require('node:vm');
  const script = new Script(code(), { filename: __filename, cachedData: cache() });
  script.runInThisContext()(require, call, __dirname);
}

// Everything has been written, and skipping Node's teardown of the heap saves a millisecond.
process.exit();
