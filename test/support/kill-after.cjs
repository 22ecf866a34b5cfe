'use strict';
// Loaded with `node --require` before holdfast: kills the process after a call that `KILL_AFTER` describes as JSON: the name
// of the function, a pattern for the path that it writes, and patterns that the file then has to match or not.
const fs = require('node:fs');

const asked = JSON.parse(process.env.KILL_AFTER ?? 'null');
delete process.env.KILL_AFTER;
if (asked !== null) {
  const { call, path, has, lacks } = asked;
  const real = fs[call];
  fs[call] = (...given) => {
    const result = Reflect.apply(real, fs, given);
    const target = String(call === 'renameSync' || call === 'cpSync' ? given[1] : given[0]);
    if (!new RegExp(path).test(target)) return result;
    const text = has || lacks ? fs.readFileSync(target, 'utf8') : '';
    if (has && !new RegExp(has).test(text)) return result;
    if (lacks && new RegExp(lacks).test(text)) return result;
    process.kill(process.pid, 'SIGKILL');
    return result;
  };
}
