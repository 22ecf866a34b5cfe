import { misshapenPart } from '../install/settings-hooks.ts';
import { isObject } from '../state/json.ts';
import { findingsOf } from './findings.ts';
import { readSettingsFiles, type SettingsFile } from './settings-files.ts';
import type { Check, Examined, Finding } from './types.ts';

const say = findingsOf('settings');

/** Whether the host takes in its settings files at all, and whether one of them switches hooks off. */
export const checkSettings: Check = {
  examine: (examined) => {
    const looks = readSettingsFiles(examined).map((file) => ({ file, troubles: troublesOf(file) }));
    const troubles = [...looks.flatMap((look) => look.troubles), ...ownSettings(examined)];
    const fine = looks.filter((look) => look.troubles.length === 0).map(({ file }) => looked(file));
    return fine.length === 0
      ? troubles
      : [say.ok('the host reads these settings', { evidence: fine }), ...troubles];
  },
};

function looked({ shown, reading }: SettingsFile): string {
  const words =
    reading.kind === 'absent' ? 'not there' : reading.kind === 'json' ? 'read' : 'empty';
  return `${shown}: ${words}`;
}

function troublesOf({ scope, shown, reading }: SettingsFile): Finding[] {
  switch (reading.kind) {
    case 'absent':
    case 'empty':
      return [];
    case 'refused':
      return [
        reading.why === 'too large'
          ? say.skipped(`${shown} is too large to be looked at`)
          : say.broken(`${shown} cannot be read: ${reading.why}`, {
              fix: `make ${shown} a file that you may read`,
            }),
      ];
    case 'not JSON':
      return [
        say.broken(`${shown} is not strict JSON, so the host ignores all of it`, {
          evidence: [`${shown}:${reading.line}: ${reading.why}`],
          fix: `correct line ${reading.line} of ${shown} by hand`,
        }),
      ];
    default:
      return [...misshapen(shown, reading.json), ...switchedOff(scope, shown, reading.json)];
  }
}

function misshapen(shown: string, json: unknown): Finding[] {
  const part = misshapenPart(json);
  if (part === null) return [];
  return [
    say.broken(`${shown}: ${part} has not the form that the host reads`, {
      fix: `correct ${part} in ${shown}: "hooks" is an object, and each event in it a list`,
    }),
  ];
}

function switchedOff(scope: SettingsFile['scope'], shown: string, json: unknown): Finding[] {
  if (!isObject(json)) return [];
  const off = (key: string, fix: string): Finding[] =>
    json[key] === true
      ? [say.broken(`${shown} switches hooks off`, { evidence: [`"${key}": true`], fix })]
      : [];
  return [
    ...off('disableAllHooks', `take "disableAllHooks" out of ${shown}`),
    ...(scope === 'policy'
      ? off('allowManagedHooksOnly', 'ask whoever manages this machine to allow the hooks')
      : []),
  ];
}

function ownSettings({ settings }: Examined): Finding[] {
  return settings.problems.map((problem) =>
    say.warning(problem, { fix: 'correct it in .claude/holdfast.json' }),
  );
}
