import { hookEntries, type HookEntry } from '../install/hook-entry.ts';
import { findingsOf } from './findings.ts';
import { registrationsIn, type Registration } from './registrations.ts';
import type { Check, Finding } from './types.ts';

const say = findingsOf('registration');

/** Whether each hook is registered, once, in the form that `init` writes now. */
export const checkRegistration: Check = {
  examine: (examined) => {
    const found = registrationsIn(examined);
    const places = [...new Set(found.map(({ place }) => place))];
    if (found.length === 0) {
      return [say.broken('no settings register the hooks', { fix: 'holdfast init' })];
    }
    const isBlocking = examined.settings.settings.reading.enforce === 'block';
    const wanted = hookEntries({ command: '', args: [] }, isBlocking);
    const troubles = [...missing(found, wanted), ...outdated(found, wanted), ...repeated(found)];
    const present = wanted.filter(({ event }) => found.some((hook) => hook.event === event));
    const tell = present.length === wanted.length ? say.ok : say.note;
    const told = tell(`${present.length} of ${wanted.length} hooks are registered`, {
      evidence: places.map((place) => `${place}: ${eventsAt(found, place)}`),
    });
    return [told, ...troubles];
  },
};

function eventsAt(found: readonly Registration[], place: string): string {
  const events = found.filter((hook) => hook.place === place).map(({ event }) => event);
  return [...new Set(events)].join(', ');
}

function missing(found: readonly Registration[], wanted: readonly HookEntry[]): Finding[] {
  const fix = initFor(found);
  const lacking = wanted
    .map(({ event }) => event)
    .filter((event) => found.every((hook) => hook.event !== event));
  const others = lacking.filter((event) => event !== 'PreToolUse');
  return [
    ...(others.length === 0 ? [] : [say.warning(`not registered: ${others.join(', ')}`, { fix })]),
    ...(lacking.length === others.length
      ? []
      : [
          say.warning('reading.enforce is "block", but PreToolUse is not registered', {
            evidence: ['without that hook nothing is ever held back'],
            fix,
          }),
        ]),
  ];
}

/** A plugin's hooks are as the plugin ships them. */
function outdated(found: readonly Registration[], wanted: readonly HookEntry[]): Finding[] {
  return placesOf(found.filter(({ isPlugin }) => !isPlugin)).flatMap((hooks) => {
    const evidence = hooks.flatMap((hook) => {
      const why = differences(hook, wanted);
      return why === '' ? [] : [`${hook.event}: ${why}`];
    });
    const [first] = hooks;
    return evidence.length === 0 || first === undefined
      ? []
      : [
          say.warning(`${first.place} has hooks in an older form`, {
            evidence,
            fix: initFor([first]),
          }),
        ];
  });
}

function differences({ event, matcher, hook }: Registration, wanted: readonly HookEntry[]): string {
  const entry = wanted.find((candidate) => candidate.event === event);
  if (entry === undefined) return 'nothing needs this hook now';
  const { timeout } = entry.hook;
  return [
    ...(matcher === entry.matcher ? [] : [`matcher "${matcher}" instead of "${entry.matcher}"`]),
    ...(hook.type === 'command' ? [] : ['its type is not "command"']),
    ...(Array.isArray(hook.args)
      ? []
      : ['a shell reads the command; the form with args needs none']),
    ...(hook.timeout === timeout
      ? []
      : [`timeout ${JSON.stringify(hook.timeout) ?? 'of the host'} instead of ${timeout}`]),
  ].join('; ');
}

function repeated(found: readonly Registration[]): Finding[] {
  const twice = found.filter((hook) =>
    found.some((other) => other !== hook && isSame(hook, other)),
  );
  const within = placesOf(twice).flatMap((hooks): Finding[] => {
    const again = hooks.filter((hook) =>
      hooks.some((other) => other !== hook && isSame(hook, other)),
    );
    const [first] = again;
    return first === undefined
      ? []
      : [
          say.warning(`${first.place} registers a hook twice`, {
            evidence: [[...new Set(again.map(({ event }) => event))].join(', ')],
            fix: first.isPlugin ? `update ${first.place}` : initFor([first]),
          }),
        ];
  });
  const places = [...new Set(twice.map(({ place }) => place))];
  if (places.length < 2) return within;
  return [
    ...within,
    say.warning('the same hook is registered in several places, and the host runs each of them', {
      evidence: places.map((place) => `${place}: ${eventsAt(twice, place)}`),
      fix: removal(twice),
    }),
  ];
}

function isSame(a: Registration, b: Registration): boolean {
  return a.event === b.event && a.matcher === b.matcher;
}

/** The plugin stays before settings, the user's before the project's, and a committed file before a private one. */
function removal(twice: readonly Registration[]): string {
  const scopes = new Set(twice.filter(({ isPlugin }) => !isPlugin).map(({ scope }) => scope));
  const isShipped = twice.some(({ isPlugin }) => isPlugin) || scopes.has('policy');
  const order = (['user', 'project', 'local'] as const).filter((scope) => scopes.has(scope));
  const superfluous = isShipped ? order : order.slice(1);
  if (superfluous.length === 0) return 'switch one of the plugins off with /plugin';
  return superfluous.map((scope) => `holdfast uninstall --scope ${scope}`).join(' && ');
}

function placesOf(found: readonly Registration[]): Registration[][] {
  const places = [...new Set(found.map(({ place }) => place))];
  return places.map((place) => found.filter((hook) => hook.place === place));
}

function initFor(found: readonly Registration[]): string {
  const scope = found.find((hook) => !hook.isPlugin)?.scope;
  return scope === undefined || scope === 'policy'
    ? 'holdfast init'
    : `holdfast init --scope ${scope}`;
}
