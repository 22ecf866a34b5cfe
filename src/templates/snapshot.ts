import { loopsOf } from './machine/loops.ts';
import { BrokenRun, requireShape, type Shape } from './machine/shape-checks.ts';
import type { Template } from './template-types.generated.ts';

const CONTEXT: Shape = new Set(['compact', 'clear']);
const ON_FAIL: Shape = new Set(['retry', 'skip', 'abort']);

const TEMPLATE: Shape = {
  name: 'text',
  description: 'text',
  steps: [
    {
      id: 'text',
      type: new Set(['action', 'loop', 'ralph', 'approval']),
      'title?': 'text',
      'phase?': 'text',
      'agent?': 'text',
      'instructions?': 'text',
      'n?': 1,
      'until?': 'text',
      'when?': 'text',
      'on_reject?': 'text',
      'context?': CONTEXT,
      'loop?': 'text',
      'gate?': 'text',
      'on_fail?': ON_FAIL,
    },
    'filled',
  ],
  'extends?': 'text',
  'resume?': new Set(['auto']),
  'max_pivots?': 1,
  'max_retries?': 0,
  'inputs?': { '*': { 'description?': 'text', 'default?': 'scalar', 'required?': 'boolean' } },
  'agents?': { '*': { description: 'text' } },
  'loops?': {
    '*': [
      {
        id: 'text',
        instructions: 'text',
        'agent?': 'text',
        'on_fail?': ON_FAIL,
        'context?': CONTEXT,
        'gate?': 'text',
      },
      'filled',
    ],
  },
  'transitions?': [
    {
      from: 'text',
      to: 'text',
      context: new Set(['clear', 'compact', 'keep']),
      'preserve?': ['text'],
    },
  ],
  'critical_artifacts?': {},
};

/** Checks the copy of a template in a state file, which may have been edited since the run started. */
export function checkedSnapshot(value: unknown): Template {
  requireTemplate(value);
  const loops = loopsOf(value);
  const seen = new Set<string>();
  for (const [index, { id, type, n, artefacts = [] }] of value.steps.entries()) {
    const at = `template.steps[${index}]`;
    if (typeof artefacts !== 'boolean') requireShape(['text'], artefacts, `${at}.artefacts`);
    if (seen.has(id)) throw new BrokenRun(`${at}.id`, 'an id that no other step has');
    if (type === 'loop' && !loops.has(id))
      throw new BrokenRun(`${at}.loop`, 'a loop of the template');
    if (type === 'ralph' && n === undefined)
      throw new BrokenRun(`${at}.n`, 'a whole number, at least 1');
    seen.add(id);
  }
  return value;
}

function requireTemplate(value: unknown): asserts value is Template {
  requireShape(TEMPLATE, value, 'template');
}
