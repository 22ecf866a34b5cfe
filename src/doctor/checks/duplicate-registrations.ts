import { basename, dirname } from 'node:path';
import { runGit } from '../../io/run-git.ts';
import { NEWER_CLIENT } from '../host/client.ts';
import { findingsFor } from '../findings.ts';
import { fixCommandFor } from '../fix-command.ts';
import { terminalEnvironment } from '../trial/environment.ts';
import { eventsAt, placesIn, type Registration } from '../host/registrations.ts';
import { readSettingsFiles } from '../host/settings-files.ts';
import { isNeeded, statusLinesIn } from '../host/status-lines.ts';
import { quoteForShell } from '../quote-for-shell.ts';
import type { DoctorContext, Finding } from '../types.ts';

const report = findingsFor('registration');

/** Hooks that are registered more than once; the client runs each of them. */
export function duplicateRegistrations(
  context: DoctorContext,
  found: readonly Registration[],
): Finding[] {
  const twice = found.filter((hook) => isRepeated(hook, found));
  const within = placesIn(twice).flatMap((place) => repeatedAt(place, twice));
  return placesIn(twice).length < 2 ? within : [...within, across(context, twice)];
}

function isRepeated(hook: Registration, among: readonly Registration[]): boolean {
  return among.some(
    (other) => other !== hook && other.event === hook.event && other.matcher === hook.matcher,
  );
}

function repeatedAt(place: string, twice: readonly Registration[]): Finding[] {
  const here = twice.filter((hook) => hook.place === place);
  const again = here.filter((hook) => isRepeated(hook, here));
  return again.length === 0
    ? []
    : [
        report.warning(`${place} registers a hook twice`, {
          evidence: [eventsAt(again, place)],
          fix: fixCommandFor(again),
        }),
      ];
}

function across(context: DoctorContext, twice: readonly Registration[]): Finding {
  const message = 'the same hook is registered in several places, and the host runs each of them';
  const evidence = placesIn(twice).map((place) => `${place}: ${eventsAt(twice, place)}`);
  const lines = statusLinesIn(readSettingsFiles(context));
  const kept = twice.find(({ path, scope }) => scope === 'local' && isNeeded(path, lines));
  const superfluous = removals(
    context,
    twice.filter(({ path }) => path !== kept?.path),
    twice,
  );
  if (superfluous.length > 0)
    return report.warning(message, { evidence, fix: superfluous.join(' && ') });
  return report.note(message, {
    evidence: [...evidence, 'the second call does nothing and says nothing'],
    fix:
      kept === undefined ? choice(twice) : `nothing to do: ${kept.place} also has the status line`,
  });
}

/** What may go without a loss to anybody: never what git tracks, nor what other projects have no other hooks than. */
function removals(
  context: DoctorContext,
  candidates: readonly Registration[],
  twice: readonly Registration[],
): string[] {
  const has = (scope: Registration['scope'], isPlugin: boolean): boolean =>
    twice.some((hook) => hook.scope === scope && hook.isPlugin === isPlugin && isHere(hook));
  const isEverywhere = has('user', true);
  const isShipped = isEverywhere || twice.some(({ isPlugin }) => isPlugin);
  const isSuperfluous = (hook: Registration): boolean => {
    if (hook.scope === 'user') return isEverywhere;
    if (hook.scope === 'project') return isShipped;
    if (!isHere(hook)) return isEverywhere || has('user', false);
    return hook.scope === 'local' && (isShipped || has('user', false) || has('project', false));
  };
  const commands = candidates
    .filter((hook) => !hook.isPlugin && isSuperfluous(hook) && !isTracked(context, hook))
    .map(({ scope, elsewhere }) => {
      const place = elsewhere === null ? '' : `--cwd ${quoteForShell(elsewhere)} `;
      return `holdfast ${place}uninstall --scope ${scope}`;
    });
  return [...new Set(commands)];
}

function isHere({ elsewhere }: Registration): boolean {
  return elsewhere === null;
}

function isTracked({ environment }: DoctorContext, { path }: Registration): boolean {
  const words = ['ls-files', '--error-unmatch', '--', basename(path)];
  const answer = runGit(dirname(path), words, terminalEnvironment(environment));
  return answer.kind === 'ended' && answer.code === 0;
}

function choice(twice: readonly Registration[]): string {
  const inSettings = twice.filter(({ isPlugin }) => !isPlugin);
  if (inSettings.length === 0) return 'switch one of the plugins off with /plugin';
  if (inSettings.length < twice.length) return 'if you like, switch the plugin off with /plugin';
  if (inSettings.some(({ scope }) => scope === 'user'))
    return 'if no other project needs them, `holdfast uninstall --scope user`';
  if (inSettings.some(({ elsewhere }) => elsewhere !== null))
    return `if every client here is ${NEWER_CLIENT} or newer, \`holdfast uninstall --scope local\``;
  return 'remove one of them by hand';
}
