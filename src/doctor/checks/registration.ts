import { BLOCKING_EVENT, hookEntries, type HookEntry } from '../../install/plan/hook-entry.ts';
import { NEWER_CLIENT } from '../host/client.ts';
import { findingsFor } from '../findings.ts';
import { fixCommandFor } from '../fix-command.ts';
import { eventsAt, placesIn, registrationsIn, type Registration } from '../host/registrations.ts';
import { ignoredFiles, readSettingsFiles } from '../host/settings-files.ts';
import { duplicateRegistrations } from './duplicate-registrations.ts';
import { missingFiles } from './missing-files.ts';
import type { Check, Finding } from '../types.ts';

const report = findingsFor('registration');

/** Whether each hook is registered exactly once, in its current form. */
export const checkRegistration: Check = {
  run: (context) => {
    const found = registrationsIn(context);
    if (found.length === 0) {
      const ignored = ignoredFiles(readSettingsFiles(context)).join(' and ');
      const fix = ignored === '' ? 'holdfast init' : `correct ${ignored}, then holdfast init`;
      return [report.broken('no settings register the hooks', { fix })];
    }
    const isBlocking = context.settings.settings.reading.enforce === 'block';
    const wanted = hookEntries(() => ({ command: '' }), isBlocking);
    return [
      registered(found, wanted),
      ...missing(found, wanted),
      ...outdated(found, wanted),
      ...missingFiles(context, found),
      ...duplicateRegistrations(context, found),
    ];
  },
};

function registered(found: readonly Registration[], wanted: readonly HookEntry[]): Finding {
  const present = wanted.filter(({ event }) => found.some((hook) => hook.event === event));
  const isForNewer = present.some(({ event }) =>
    found.every((hook) => hook.event !== event || hook.elsewhere !== null),
  );
  const tell = present.length === wanted.length && !isForNewer ? report.ok : report.note;
  const evidence = placesIn(found).map((place) => {
    const isElsewhere = found.some((hook) => hook.place === place && hook.elsewhere !== null);
    const readers = isElsewhere ? ` (read by Claude Code ${NEWER_CLIENT} and newer)` : '';
    return `${place}: ${eventsAt(found, place)}${readers}`;
  });
  return tell(`${present.length} of ${wanted.length} hooks are registered`, {
    evidence,
    ...(isForNewer ? { fix: 'holdfast init, if an older client is used here' } : {}),
  });
}

function missing(found: readonly Registration[], wanted: readonly HookEntry[]): Finding[] {
  const fix = fixCommandFor(found);
  const lacking = wanted
    .map(({ event }) => event)
    .filter((event) => found.every((hook) => hook.event !== event));
  const others = lacking.filter((event) => event !== BLOCKING_EVENT);
  return [
    ...(others.length === 0
      ? []
      : [report.warning(`not registered: ${others.join(', ')}`, { fix })]),
    ...(lacking.length === others.length
      ? []
      : [
          report.warning('reading.enforce is "block", but PreToolUse is not registered', {
            evidence: ['without that hook no edit is ever blocked'],
            // The plugin does not register this one.
            fix: found.every(({ isPlugin }) => isPlugin) ? 'holdfast init' : fix,
          }),
        ]),
  ];
}

/** Only for settings files; a plugin ships its own hooks. */
function outdated(found: readonly Registration[], wanted: readonly HookEntry[]): Finding[] {
  const inSettings = found.filter(({ isPlugin }) => !isPlugin);
  return placesIn(inSettings).flatMap((place) => {
    const hooks = inSettings.filter((hook) => hook.place === place);
    const evidence = hooks.flatMap((hook) => {
      const why = differences(hook, wanted);
      return why === '' ? [] : [`${hook.event}: ${why}`];
    });
    return evidence.length === 0
      ? []
      : [
          report.warning(`${place} has hooks in an older form`, {
            evidence,
            fix: fixCommandFor(hooks),
          }),
        ];
  });
}

function differences({ event, matcher, hook }: Registration, wanted: readonly HookEntry[]): string {
  const entry = wanted.find((candidate) => candidate.event === event);
  if (entry === undefined) return 'this hook is no longer needed';
  const { timeout } = entry.hook;
  return [
    ...(matcher === entry.matcher ? [] : [`matcher "${matcher}" instead of "${entry.matcher}"`]),
    ...(hook['type'] === 'command' ? [] : ['its type is not "command"']),
    ...(hook['timeout'] === timeout
      ? []
      : [`timeout ${JSON.stringify(hook['timeout']) ?? 'of the host'} instead of ${timeout}`]),
  ].join('; ');
}
