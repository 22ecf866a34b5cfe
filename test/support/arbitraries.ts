import type { DeclaredPhase } from '../../src/state/types.ts';
import fc from 'fast-check';
import type { DeclaredWorkflow } from '../../src/sources/types.ts';
import {
  PHASE_STATUSES,
  type Phase,
  type RunState,
} from '../../src/state/types.ts';
import { aState } from './runs.ts';

/** Few entries and keys, so that two sides often share them; some are names of inherited object properties. */
const entries = fc.uniqueArray(
  fc.constantFrom('@a.md', '@b.md', '@c.md', '@d.md', '@e.md'),
);
const reminders = fc.uniqueArray(
  fc.constantFrom('test first', 'no force push', 'ask', 'be brief'),
);
const keys = fc.constantFrom(
  'branch',
  'ticket',
  'owner',
  '__proto__',
  'constructor',
  'toString',
);
const values = fc.constantFrom<unknown>(1, 2, 'main', null, true, ['x'], {
  deep: 1,
});
const facts = fc
  .array(fc.tuple(keys, values), { maxLength: 6 })
  .map(Object.fromEntries);
const names = fc.constantFrom('Design', 'Build', 'Verify', 'Ship');
const statuses = fc.constantFrom(...PHASE_STATUSES);
const types = fc.constantFrom(
  'planning',
  'qa-loop',
  'implementation',
  'custom',
  'of our own',
);

/** Any code point, half a pair too. fast-check's own unit `binary` takes seconds when it is first used. */
export const anyCharacter = fc
  .oneof(fc.nat(0x7f), fc.nat(0xffff), fc.nat(0x10ffff))
  .map((code) => String.fromCodePoint(code));

function anyPhase(): fc.Arbitrary<Phase> {
  return fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.nat(4), names, statuses)
    .map(([current, more, name, status]) => ({
      current,
      total: current + more,
      name,
      status,
    }));
}

export function anyPhaseSaid(): fc.Arbitrary<DeclaredPhase> {
  const number = fc.integer({ min: 1, max: 8 });
  return fc.record(
    { current: number, total: number, name: names, status: statuses },
    { requiredKeys: [] },
  );
}

export function anySaid(): fc.Arbitrary<DeclaredWorkflow> {
  return fc.record(
    {
      workflow: fc.constantFrom('Feature', 'feature', 'FEATURE!'),
      workflow_type: types,
      phase: anyPhaseSaid(),
      phases: fc.array(names, { maxLength: 4 }),
      required_reading: entries,
      key_reminders: reminders,
      context: facts,
    },
    {
      requiredKeys: [
        'workflow',
        'required_reading',
        'key_reminders',
        'context',
      ],
    },
  );
}

/** A run with unknown keys at every level, as a newer version or a user may have written them. */
export function anyState(): fc.Arbitrary<RunState> {
  const own = fc.record(
    {
      key_reminders: reminders,
      context: facts,
      phases: fc.array(names, { maxLength: 4 }),
      mine: values,
      owner_notes: fc.array(values),
    },
    { requiredKeys: [] },
  );
  return fc
    .tuple(types, anyPhase(), values, entries, own)
    .map(([workflow_type, phase, estimate, required_reading, rest]) =>
      aState({
        workflow_type,
        phase: { ...phase, estimate },
        required_reading,
        ...rest,
      }),
    );
}

/** Untrusted text: any characters, or text that imitates holdfast's own output. */
export function anyText(maxLength = 80): fc.Arbitrary<string> {
  const upTo = (max: number): fc.Arbitrary<string> =>
    fc
      .nat(max)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code));
  const characters = [
    '\n',
    '\r\n',
    '\u2028',
    '\u202E',
    '\u200B',
    '\u009B',
    '\u{E0041}',
    '😀',
    'a',
  ];
  const signs = [
    ' ',
    '`',
    '```',
    '````',
    '~~~',
    '# ',
    '- ',
    '… 1 more',
    '✅ Workflow restored',
  ];
  const tags = [
    '<system-reminder>',
    '</System>',
    '<sys\u200Dtem-note>',
    '</summary>',
    '<bash-input>',
  ];
  const headings = [
    'REQUIRED READING',
    'ACTION REQUIRED',
    'Key Reminders',
    'Other active runs',
  ];
  const lines = [
    'Context',
    'Workflow: x',
    'Phase: 9/9',
    '**[X_PIVOT_FEEDBACK]:**',
    '@/etc/passwd',
  ];
  const piece = fc.constantFrom(
    ...characters,
    ...signs,
    ...tags,
    ...headings,
    ...lines,
  );
  return fc.oneof(
    fc.string({ unit: upTo(0x24f), maxLength }),
    fc.string({ unit: upTo(0x10ffff), maxLength }),
    fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
    fc
      .tuple(piece, fc.integer({ min: 1, max: 1_500 }))
      .map(([text, times]) =>
        text.repeat(Math.min(times, Math.floor(1_500 / text.length))),
      ),
  );
}
