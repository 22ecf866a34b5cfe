import { hasHookLists, misshapenPart } from '../../install/plan/settings-hooks.ts';
import { clientOnPath, isAtLeast, NEWER_CLIENT, OLDER_CLIENT } from '../host/client.ts';
import { findingsFor } from '../findings.ts';
import { switchedOff } from '../host/hook-switches.ts';
import { readSettingsFiles, type SettingsFile } from '../host/settings-files.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const say = findingsFor('settings');

/** Whether the host takes in its settings files at all, and whether one of them switches hooks off. */
export const checkSettings: Check = {
  run: (examined) => {
    const files = readSettingsFiles(examined);
    const looks = files.map((file) => ({ file, troubles: troublesOf(examined, file) }));
    const fine = looks.filter((look) => look.troubles.length === 0).map(({ file }) => looked(file));
    return [
      ...(fine.length === 0 ? [] : [say.ok('the host reads these settings', { evidence: fine })]),
      ...looks.flatMap((look) => look.troubles),
      ...switchedOff(files),
      ...examined.unseenPolicies.map((what) => say.skipped(`${what}: not looked at`)),
      ...ownSettings(examined),
    ];
  },
};

function looked({ shown, reading, elsewhere }: SettingsFile): string {
  const words =
    reading.kind === 'absent' ? 'not there' : reading.kind === 'json' ? 'read' : 'empty';
  const readers = elsewhere === null ? '' : `, by Claude Code ${NEWER_CLIENT} and newer`;
  return `${shown}: ${words}${readers}`;
}

function troublesOf(examined: DoctorContext, { shown, reading }: SettingsFile): Finding[] {
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
      return misshapen(examined, shown, reading.json);
  }
}

function misshapen(examined: DoctorContext, shown: string, json: unknown): Finding[] {
  const part = misshapenPart(json);
  if (part === null) return [];
  if (!hasHookLists(json)) {
    return [
      say.broken(`${shown}: ${part} has not the form that the host reads`, {
        fix: `correct ${part} in ${shown}: "hooks" is an object, and each event in it a list`,
      }),
    ];
  }
  const { version } = clientOnPath(examined);
  const tell = version === null || isAtLeast(version, NEWER_CLIENT) ? say.warning : say.broken;
  return [
    tell(`${shown}: because of ${part}, clients before ${NEWER_CLIENT} run no hook of this file`, {
      evidence: [
        `so did ${OLDER_CLIENT}; ${NEWER_CLIENT} passes over that part`,
        version === null ? 'the version of this client is not known' : `this client is ${version}`,
      ],
      fix: `correct ${part} in ${shown}: {"matcher": "", "hooks": [{"type": "command", "command": "…"}]}`,
    }),
  ];
}

function ownSettings({ settings }: DoctorContext): Finding[] {
  return settings.problems.map((problem) =>
    say.warning(problem, { fix: 'correct it in .claude/holdfast.json' }),
  );
}
