import { recordFill } from '../sessions/fill-warning.ts';
import fse from 'fs-extra';
import {
  fixCommandFor,
  ignoredFiles,
  readClientSettings,
} from '../doctor/client-settings.ts';
import { hostOf } from '../hosts/hosts.ts';
import { startedProgram } from '../install/host-commands.ts';
import { plainCourse, unusualNext } from '../templates/what-to-type-next.ts';
import { offeredFiles, offerLines } from '../sources/offered-files.ts';
import { previewSync } from '../sources/project-sources.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { command, type Shown } from './command.ts';
import type { DashboardDocument } from './json/documents.ts';
import { numberOption, required } from './options.ts';
import { getStatus, showStatus } from './status.ts';
import type { CommandContext } from './view/output.ts';
import { placesOfHooks, whatSwitchesHooksOff } from './view/installation.ts';

/** What `holdfast` alone shows: the run in progress or how to start one, and whether the hooks are installed. */
export const dashboard = command({
  usage: 'dashboard',
  about: 'what `holdfast` alone shows',
  examples: [],
  isHidden: true,
  isLook: true,
  run: (cli): Shown<DashboardDocument> => {
    const view = getStatus(cli, undefined, {
      isLook: true,
      lastPrompted: null,
    });
    const { data, text } = showStatus(cli, view);
    const { run } = view;
    // `status` says what comes next only where it is not this.
    const isPlain = run !== null && unusualNext(cli, run, null) === null;
    const next = isPlain ? [`Next: ${plainCourse(cli, run)}`] : [];
    const places = placesOfHooks(cli);
    const off = whatSwitchesHooksOff(cli);
    const offers = offersOf(cli, data.run !== null);
    return {
      data: { ...data, hooks: places, hooks_off: off, offers },
      text: [
        [text, ...offers].join('\n'),
        ...next,
        hooksLine(cli, places, off),
      ].join('\n\n'),
    };
  },
});

/** Leaves a mark outside the project; the next prompt of the session tells it how full its context is. */
export const fill = command({
  usage: 'fill',
  about: 'called by the module and the status line when the context fills up',
  examples: [],
  isHidden: true,
  isLook: true,
  options: {
    percent: required(numberOption('of the automatic-compaction threshold')),
  },
  run: (context, { percent }) => {
    const { session, settings } = context;
    if (session !== null)
      recordFill(context.registry, session, percent, settings.context.warn);
  },
});

/** Where there is a run, nothing has to be offered. */
function offersOf(cli: CommandContext, hasRun: boolean): string[] {
  if (hasRun) return [];
  const { runs } = cli.store.list();
  const { detected, input } = previewSync(cli, runs, () => undefined);
  if (detected.length > 0) return [];
  return offerLines(offeredFiles(cli.root, input.sources));
}

function hooksLine(
  cli: CommandContext,
  places: readonly string[],
  off: string | null,
): string {
  const registered = `Hooks    registered in ${places.map(sanitizeLine).join(', ')}`;
  const host = hostOf(cli.environment);
  const { registrations, files } = readClientSettings(cli);
  const ignored =
    host === 'claude'
      ? ignoredFiles(files).map(sanitizeLine).join(' and ')
      : '';
  if (places.length === 0 && ignored !== '')
    return `Hooks    none: Claude Code ignores ${ignored}, which it cannot read: holdfast doctor`;
  if (places.length === 0)
    return `Hooks    not installed, so nothing is restored yet: holdfast init${host === 'claude' ? '' : ` --host ${host}`}`;
  if (host !== 'claude') return registered;
  if (off !== null) return `${registered}, but ${sanitizeLine(off)}`;
  const isThere = registrations.some(({ hook }) => {
    const started = startedProgram(hook, cli);
    return (
      started === null ||
      (started.file !== null && fse.existsSync(started.file))
    );
  });
  return isThere
    ? registered
    : `${registered}, but holdfast's files are not there, so nothing is restored yet: ${sanitizeLine(fixCommandFor(registrations))}`;
}
