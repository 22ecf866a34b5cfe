'use strict';
// What every hook needs comes first; where it finds nothing to do, the rest is not loaded. Compiling is most of what
// a hook costs, so that rest comes with V8's own cache of it where there is one for this Node; without it, or where
// V8 rejects it, the same code is compiled as usual.
const { readCall } = ((module) => {
  /* __ENTRY__ */
  return module.exports;
})({});
const code = __CODE__;

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
  const script = new Script(code, { filename: __filename, cachedData: cache() });
  script.runInThisContext()(require, call);
}

// All is written by now, and taking the heap apart costs a millisecond.
process.exit();
