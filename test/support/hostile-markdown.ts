import { readLocalFile } from '../../src/sources/parse/local-file.ts';
import { readPlan } from '../../src/sources/parse/plan.ts';
import { scanMarkdown } from '../../src/text/markdown/scan.ts';
import { parsePhase } from '../../src/state/phase-line.ts';

const PLAN = { path: 'CLAUDE/Plan/066-seo/PLAN.md', exists: () => true };

const marks = [
  '<!--',
  '<!-- `',
  '`',
  '` ``',
  '``` ',
  '*',
  '_',
  '**_',
  '> ',
  '- ',
  '1. ',
  '# ',
  '#',
];
const lines = [
  'Workflow State\n',
  '# Workflow State\nWorkflow: x\nPhase: 1\n',
  '#\n',
  '> > > >\n',
  '\n',
  '=\n',
  '- a\n\n',
  '<a\n',
  'Phase: 1\n',
  'Context:\n  - a:\n\n',
];
const signs = [
  ' ',
  '\t',
  '\0',
  '~~',
  '~~a',
  '~~a~~ ',
  '|',
  '| Status ',
  '(',
  ')',
  ' (',
  ':',
  '[',
  '[ ] ',
  '\\',
  '🔄',
];
const tags = ['<a ', '<a b=', '<a b="', '<div '];
const words = [
  'Phase: (((((',
  'Workflow: ',
  'Phase ',
  '4/',
  '9',
  ' of ',
  'in progress ',
  'Status: ',
];
const paths = [
  '@',
  '@a ',
  ' @',
  'CLAUDE/',
  'CLAUDE/a.md#',
  '.md.',
  'Workflow   ',
  'Workflow State',
];

/** Each opening leads the text behind it into another part of the parsers. */
const declared = '# Workflow State\nWorkflow: x\nPhase: 1/2\n';
const planned = '# Plan 1: x\nStatus: In Progress\nphase\n';
export const OPENINGS: [opening: string, read: (text: string) => unknown][] = [
  ['', scanMarkdown],
  ['- - - - - - - - - - a\n', scanMarkdown],
  ['', parsePhase],
  [declared, readLocalFile],
  ['# Workflow State\nWorkflow: x\nPhase: ', readLocalFile],
  [`${declared}Context:\n- `, readLocalFile],
  [`${declared}@`, readLocalFile],
  [planned, (text) => readPlan(text, PLAN)],
  [`${planned}## Phase 1: `, (text) => readPlan(text, PLAN)],
  ['---\nstatus: ', (text) => readPlan(text, PLAN)],
  ['---\n# comment\n', (text) => readPlan(text, PLAN)],
  ['# 🔄 workflow\n', (text) => readPlan(text, PLAN)],
];

/** What regular expressions and the scanner find hard when it is repeated. */
export const PIECES = [marks, lines, signs, tags, words, paths].flat();
