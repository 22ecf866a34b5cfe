import { sourceNote } from '../../guidance/frame.ts';
import { readingList } from '../../guidance/reading/required-reading.ts';
import { isActive } from '../../state/run.ts';
import { phaseWords } from '../../state/phase-words.ts';
import { planOf } from '../../state/plan-of-run.ts';
import type { Run } from '../../state/types.ts';
import { readSyncInput } from '../../sources/read-sources.ts';
import {
  describeUnclear,
  unclearSources,
} from '../../sources/unclear-sources.ts';
import { pluralize } from '../../text/relative-time.ts';
import {
  asWord,
  escapeInvisible,
  escapeInvisibleLines,
} from '../../text/sanitize.ts';
import { proposedWord } from '../../text/shell-commands.ts';
import { isTrusted, readTrust } from '../../templates/gates/trust.ts';
import { gatesOf } from '../../machine/gates.ts';
import {
  listTemplates,
  type ListedTemplate,
} from '../../templates/find-template.ts';
import type { Facts } from '../facts.ts';
import { note, ok, warning, type Finding } from '../finding.ts';

/** Whether the local file and the plans can be read, and whether active runs have and follow their files. */
export function checkSources(facts: Facts): Finding[] {
  const { store, settings } = facts;
  const { input, problems } = readSyncInput(
    { ...facts, settings: settings.settings, session: null },
    { runs: store.list().runs, sourceRecords: store.sourceRecords() },
  );
  const active = input.runs.filter(isActive);
  const found = [
    ok(pluralize(active.length, 'active run'), active.map(describeRun)),
  ];

  for (const { path, message } of problems)
    found.push(warning(message, `make ${asWord(path)} readable`));
  for (const source of unclearSources(facts.root, input.sources)) {
    const fix = `add it to ${asWord(source.path)}`;
    found.push(warning(describeUnclear(source), fix));
  }
  for (const run of active) {
    const difference = sourceNote(run, input.sources);
    const fix = `correct that file, or \`holdfast update ${run.runId} --phase <n>\``;
    if (difference !== null)
      found.push(warning(`${run.runId}: ${difference}`, fix));
    found.push(...missingReading(facts, run));
  }
  return found;
}

/** With the plan that the run comes from, and the tool that wrote it. */
function describeRun({ runId, state }: Run): string {
  const plan = planOf(state);
  const format = state.source?.['format'];
  const origin = plan === undefined ? '' : `, from ${asWord(plan)}`;
  const tool = typeof format === 'string' ? ` (${asWord(format)})` : '';
  return `${runId}: phase ${phaseWords(state.phase)}${origin}${tool}`;
}

function missingReading({ root }: Facts, { runId, state }: Run): Finding[] {
  // A plan outside the project is required on purpose: the agent opens it, and holdfast does not have to.
  const plan = `@${planOf(state) ?? ''}`;
  const missing = readingList(state, root).filter((entry) => {
    if (entry.state === 'outside') return entry.path !== plan;
    return entry.state === 'missing';
  });
  const [first] = missing;
  if (first === undefined) return [];
  const unread = `${runId} --unread ${proposedWord(first.path.slice(1), '<path>')}`;
  return [
    warning(
      `${runId} requires files that cannot be read`,
      `restore the file, or \`holdfast update ${unread}\``,
      missing.map(({ path, state: why }) => `${asWord(path)} (${why})`),
    ),
  ];
}

/** Whether the project's templates are valid, and whether their gates are trusted. */
export function checkTemplates(facts: Facts): Finding[] {
  const own = listTemplates(facts.root).filter(
    ({ origin }) => origin === 'project',
  );
  if (own.length === 0) return [ok('the project has no templates of its own')];
  const { problem } = readTrust(facts);
  const found = own.flatMap((listed) => [
    ...unusable(listed),
    ...untrusted(facts, listed),
  ]);
  if (problem !== null)
    found.push(
      warning(
        problem,
        'trust the templates again with `holdfast trust <template>`',
      ),
    );
  return found.length > 0
    ? found
    : [ok(`${pluralize(own.length, 'template')} of the project can be used`)];
}

function unusable({ file, reading }: ListedTemplate): Finding[] {
  if (reading.kind === 'template') return [];
  const fix = `correct it; \`holdfast validate ${proposedWord(file, '<file>')}\` checks it again`;
  const lines = reading.problems.map(
    (problem) => `${asWord(problem.file)}:${problem.line}: ${problem.message}`,
  );
  return [warning(`${asWord(file)} cannot be used`, fix, lines)];
}

function untrusted(
  facts: Facts,
  { id, file, reading }: ListedTemplate,
): Finding[] {
  if (reading.kind !== 'template') return [];
  const gates = gatesOf(reading.template);
  if (gates.length === 0 || isTrusted(facts, reading.template)) return [];
  return [
    note(
      `${asWord(file)} has untrusted gates: its runs stop before them`,
      `read them, then \`holdfast trust ${proposedWord(id, '<template>')}\``,
      gates.flatMap(({ where, command }) => [
        `${escapeInvisible(where)}:`,
        ...escapeInvisibleLines(command, ''),
      ]),
    ),
  ];
}
