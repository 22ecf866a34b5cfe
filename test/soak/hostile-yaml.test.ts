import { expect, test } from 'vitest';
import { openServer } from '../support/mcp.ts';
import { publish } from './support/figures.ts';
import {
  boundsIn,
  commandFaults,
  fullProject,
  hookFaults,
  hooksIn,
  SESSION,
  snapshot,
} from './support/hostile.ts';
import { shownFaults } from './support/hostile-text.ts';
import { measuredCommand, measuredHook } from './support/measured.ts';

const HEAD = 'name: Built\ndescription: x\n';
const STEPS = 'steps: [{id: make, type: action, instructions: Make it.}]\n';
const MEGABYTE = 999_000;
const PLACE = '.claude/holdfast/workflows';

function times(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('');
}

function laughs(levels: number, each: number): string {
  const again = (index: number): string => Array(each).fill(`*a${index}`).join(', ');
  const lines = times(levels, (index) => `a${index + 1}: &a${index + 1} [${again(index)}]\n`);
  return `a0: &a0 [lol, lol]\n${lines}${HEAD}${STEPS}`;
}

/** YAML and JSON that mean much with little, or ask a parser to do more than parse. */
const BOMBS: Record<string, string> = {
  'a billion laughs': laughs(9, 10),
  'laughs within the number of aliases': laughs(30, 3),
  'an anchor that holds itself': `a: &a [*a, *a]\n${HEAD}${STEPS}`,
  'a mapping that holds itself': `a: &a {b: *a}\n${HEAD}${STEPS}`,
  '40,000 anchors': `${times(40_000, (index) => `k${index}: &n${index} v\n`)}${HEAD}${STEPS}`,
  'merge keys': `a: &a {b: c}\n${HEAD}steps: [{<<: *a, id: make, type: action, instructions: x}]\n`,
  'a long text ninety times': `t: &t "${'x'.repeat(900_000)}"\nl: [${Array(90).fill('*t').join(', ')}]\n${HEAD}${STEPS}`,
  'a function': `f: !!js/function 'function () { require("fs").writeFileSync("../outside/executed", "") }'\n${HEAD}${STEPS}`,
  'an object of Python': `f: !!python/object/apply:os.system ["touch ../outside/executed"]\n${HEAD}${STEPS}`,
  'bytes, sets, dates and orders': `a: !!binary "R0lGODlhDAAMAIQAAP=="\nb: !!set {x, y}\nc: !!timestamp 2001-12-14\nd: !!omap [x: 1]\n${HEAD}${STEPS}`,
  'a tag of its own': `%TAG ! tag:evil,2000:\n---\na: !x y\n${HEAD}${STEPS}`,
  'brackets without end': '['.repeat(MEGABYTE),
  'mappings without end': '{a: '.repeat(MEGABYTE / 4),
  'lists in lists in one line': `${HEAD}steps:\n${'- '.repeat(400_000)}x\n`,
  'levels of indentation': times(1_300, (index) => `${' '.repeat(index)}a:\n`),
  'questions without end': '? '.repeat(MEGABYTE / 2),
  'a text of a megabyte': `${HEAD}steps: [{id: make, type: action, instructions: ${'x'.repeat(900_000)}}]\n`,
  'a quote that never ends': `${HEAD}steps: "${'\\'.repeat(MEGABYTE - 100)}`,
  'a block of blank lines': `${HEAD}x: |\n${' \n'.repeat(490_000)}${STEPS}`,
  'a row of tabs': `${HEAD}x:${'\t'.repeat(900_000)}y\n${STEPS}`,
  'as many keys as fit': `${times(90_000, (index) => `k${index}: 1\n`)}${HEAD}${STEPS}`,
  'the same key as often as fits': `${'k: 1\n'.repeat(190_000)}${HEAD}${STEPS}`,
  'as many steps as fit': `${HEAD}steps:\n${times(18_000, (index) => `- {id: s${index}, type: action, instructions: x}\n`)}`,
  'as many documents as fit': '--- a\n'.repeat(160_000),
  'as many comments as fit': `${'#\n'.repeat(480_000)}${HEAD}${STEPS}`,
  'keys that objects have': `__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}\n${HEAD}${STEPS}`,
  'steps named as what objects have': `${HEAD}agents: {__proto__: {description: x}}\nloops: {__proto__: [{id: constructor, instructions: x}], toString: [{id: valueOf, instructions: x}]}\nsteps: [{id: __proto__, type: action, instructions: x, agent: __proto__}, {id: toString, type: loop}]\n`,
  'a parent that is itself': `extends: built\n${HEAD}${STEPS}`,
  'a parent outside': `extends: ../../../../outside/folder/built.yaml\n${HEAD}${STEPS}`,
  'a parent at an absolute place': `extends: /etc/passwd\n${HEAD}${STEPS}`,
};

const COMMANDS: readonly string[][] = [
  ['workflows'],
  ['validate'],
  ['doctor'],
  ['start', '--template', 'built', '--switch'],
  ['trust', 'built'],
  ['status'],
];

const box = await fullProject();
const bounds = boundsIn(box);
for (const words of COMMANDS) {
  const { what, ms } = measuredCommand(box, words, SESSION);
  bounds.commands.set(what, Math.max(ms, bounds.commands.get(what) ?? 0));
}
const plain = measuredCommand(box, ['workflows'], SESSION).megabytes;
/** So many times the memory of a command where the templates are harmless. */
const LARGER = 8;
const worst = { ms: 0, megabytes: 0, what: '', bombs: 0 };

test.each(Object.keys(BOMBS))('%s: is answered in time and with little memory', async (name) => {
  const format = BOMBS[name]?.startsWith('{') === true ? 'json' : 'yaml';
  box.backTo('full');
  box.write(`${PLACE}/built.${format}`, BOMBS[name] ?? '');
  const before = snapshot(`${box.tree}/outside`);
  const faults = COMMANDS.flatMap((words) => {
    const made = measuredCommand(box, words, SESSION);
    if (made.ms > worst.ms) Object.assign(worst, { ms: made.ms, what: `${made.what}: ${name}` });
    worst.megabytes = Math.max(worst.megabytes, made.megabytes);
    const isLarge = made.megabytes > LARGER * plain;
    return [
      ...commandFaults(made, bounds),
      ...shownFaults(made.stdout + made.stderr),
      ...(isLarge ? [`${made.what}: ${made.megabytes} MB, else ${plain}`] : []),
    ];
  });
  const ofHooks = hooksIn(box).flatMap((call) =>
    hookFaults(call, measuredHook(box, call.payload, call.event), bounds),
  );
  const server = await openServer(box, { session: SESSION });
  const { text } = await server.call('workflow_start', { template: 'built' });
  await server.end();
  expect([...faults, ...ofHooks, ...shownFaults(text)]).toEqual([]);
  expect(snapshot(`${box.tree}/outside`)).toEqual(before);
  worst.bombs += 1;
  if (worst.bombs === Object.keys(BOMBS).length)
    publish('hostile-yaml', {
      templates: worst.bombs,
      memory_at_most_mb: Math.round(worst.megabytes),
      slowest_ms: Math.round(worst.ms),
      slowest: worst.what,
    });
});
