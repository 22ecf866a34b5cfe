'use strict';
// Compiling is most of what a hook costs, so the code comes with V8's own cache of it where there is one for this
// Node; without it, or where V8 rejects it, the same code is compiled as usual.
const { readFileSync } = require('node:fs');
const { Script } = require('node:vm');

const code = __CODE__;

function cache() {
  try {
    return readFileSync(`${__dirname}/hook-__DIGEST__-${process.version}-${process.arch}.cache`);
  } catch {
    return undefined;
  }
}

new Script(code, { filename: __filename, cachedData: cache() }).runInThisContext()(require);
