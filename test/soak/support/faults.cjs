'use strict';
// Loaded with `node --require` before holdfast: makes one file system call fail, or kills, stops or misleads the process
// there. HOLDFAST_SOAK_FAULT describes the fault as JSON; the product has no code for it.
const fs = require('node:fs');
const path = require('node:path');

const asked = JSON.parse(process.env.HOLDFAST_SOAK_FAULT ?? '{}');
delete process.env.HOLDFAST_SOAK_FAULT;
// Calls that Node makes to load the program do not count.
const ours = path.resolve(__dirname, '../../..') + path.sep;
const real = { ...fs };
const { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_EXCL } = fs.constants;

const MUTATING = [
  'openSync',
  'writeSync',
  'writeFileSync',
  'appendFileSync',
  'fsyncSync',
  'renameSync',
  'linkSync',
  'symlinkSync',
  'unlinkSync',
  'rmSync',
  'rmdirSync',
  'mkdirSync',
  'mkdtempSync',
  'copyFileSync',
  'chmodSync',
  'utimesSync',
  'truncateSync',
  'ftruncateSync',
];
const OPENING = [
  'openSync',
  'readFileSync',
  'writeFileSync',
  'appendFileSync',
  'readdirSync',
  'opendirSync',
];
const TAKES_SPACE = new Set([
  'openSync',
  'writeSync',
  'writeFileSync',
  'appendFileSync',
  'mkdirSync',
  'mkdtempSync',
  'copyFileSync',
  'linkSync',
  'symlinkSync',
  'fsyncSync',
]);
const BETWEEN_PLACES = new Set(['renameSync', 'linkSync']);
const WRITES = new Set([
  'writeSync',
  'writeFileSync',
  'appendFileSync',
  'copyFileSync',
]);

const opened = new Map();
let depth = 0;
let calls = 0;
let isOver = false;

for (const name of new Set([...MUTATING, ...OPENING])) {
  fs[name] = (...given) => {
    if (depth > 0) return Reflect.apply(real[name], fs, given);
    depth += 1;
    try {
      return call(name, given);
    } finally {
      depth -= 1;
    }
  };
}
if (asked.clockShift !== undefined) shiftClock(asked.clockShift);

function call(name, given) {
  const perform = () => {
    const result = Reflect.apply(real[name], fs, given);
    if (name === 'openSync') opened.set(result, String(given[0]));
    return result;
  };
  if (isOver || !isPoint(name, given)) return perform();
  calls += 1;
  if (asked.kind === 'record') {
    try {
      return perform();
    } finally {
      record(name, given);
    }
  }
  const isHere =
    calls === asked.at || (asked.lasting === true && calls > asked.at);
  if (!isHere) return perform();
  switch (asked.kind) {
    case 'kill':
      return interrupt('SIGKILL', name, given, perform);
    case 'stop':
      isOver = true;
      return interrupt('SIGSTOP', name, given, perform);
    case 'fail':
      if (asked.code === 'ENOSPC' && WRITES.has(name)) writeHalf(name, given);
      throw failure(asked.code, name, given);
    case 'swap':
      isOver = true;
      swap(asked.swapped);
      return perform();
    default:
      return perform();
  }
}

function isPoint(name, given) {
  const place = pathOf(given[0]);
  if (place === null || place.startsWith(ours)) return false;
  if (asked.code === 'EMFILE')
    return OPENING.includes(name) && typeof given[0] !== 'number';
  if (
    !MUTATING.includes(name) ||
    (name === 'openSync' && !isForWriting(given[1]))
  )
    return false;
  if (asked.code === 'ENOSPC')
    return TAKES_SPACE.has(name) && (name !== 'openSync' || creates(given));
  if (asked.code === 'EXDEV')
    return BETWEEN_PLACES.has(name) && isBetweenDevices(given);
  return true;
}

/** Standard output and error do not count. */
function pathOf(target) {
  if (typeof target !== 'number') return path.resolve(String(target));
  return target <= 2 ? null : (opened.get(target) ?? `fd ${target}`);
}

function isForWriting(flags) {
  if (typeof flags === 'number')
    return (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND)) !== 0;
  return flags !== undefined && flags !== 'r' && flags !== 'rs';
}

function creates([target, flags]) {
  const asks =
    typeof flags === 'number'
      ? (flags & (O_CREAT | O_EXCL)) !== 0
      : /[wa]/.test(String(flags));
  return asks && !real.existsSync(target);
}

function isBetweenDevices([from, to]) {
  return (
    asked.device !== undefined &&
    String(from).startsWith(asked.device) !==
      String(to).startsWith(asked.device)
  );
}

function interrupt(signal, name, given, perform) {
  if (asked.when === 'before') process.kill(process.pid, signal);
  if (asked.when === 'half') {
    if (WRITES.has(name)) writeHalf(name, given);
    process.kill(process.pid, signal);
  }
  try {
    return perform();
  } finally {
    if (asked.when === 'after') process.kill(process.pid, signal);
  }
}

function writeHalf(name, [target, content, ...rest]) {
  if (name === 'copyFileSync') {
    const bytes = real.readFileSync(target);
    real.writeFileSync(content, bytes.subarray(0, bytes.length / 2));
    return;
  }
  const bytes =
    typeof content === 'string'
      ? Buffer.from(content)
      : Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const half = bytes.subarray(0, bytes.length / 2);
  if (typeof target === 'number') real.writeSync(target, half);
  else if (name === 'appendFileSync') real.appendFileSync(target, half);
  else real.writeFileSync(target, half, ...rest);
}

function failure(code, name, [target, other]) {
  const { errno } = require('node:os').constants;
  const syscall = name.replace(/(?:File)?Sync$/, '');
  const places = [
    pathOf(target),
    typeof other === 'string' && BETWEEN_PLACES.has(name)
      ? path.resolve(other)
      : null,
  ];
  const isFile = typeof target === 'number';
  const error = new Error(
    `${code}: injected, ${syscall}${isFile ? '' : ` '${places[0]}'`}`,
  );
  return Object.assign(
    error,
    { code, errno: -errno[code], syscall },
    isFile ? {} : { path: places[0] },
    places[1] === null ? {} : { dest: places[1] },
  );
}

function swap({ path: target, text }) {
  real.rmSync(target, { recursive: true, force: true });
  if (text !== undefined) real.writeFileSync(target, text);
}

/** Records the call and the resulting content: a version of the file that the command itself made. */
function record(name, given) {
  const target =
    name === 'renameSync' || name === 'linkSync' || name === 'copyFileSync'
      ? path.resolve(String(given[1]))
      : pathOf(given[0]);
  const stat = real.statSync(target, { throwIfNoEntry: false });
  const content =
    stat?.isFile() && stat.size < 3_000_000
      ? real.readFileSync(target, 'utf8')
      : null;
  real.appendFileSync(
    asked.out,
    `${JSON.stringify({ name, path: target, content })}\n`,
  );
}

function shiftClock(by) {
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...given) {
      super(...(given.length === 0 ? [RealDate.now() + by] : given));
    }
    static now() {
      return RealDate.now() + by;
    }
  };
}
