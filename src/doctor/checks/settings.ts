import { describeSettingsFile } from '../../errors/settings.ts';
import { SETTINGS_FILE } from '../../settings/settings.ts';
import { describeJsonSyntax } from '../../errors/text-defects.ts';
import { hasHookLists, misshapenPart } from '../../install/plan/settings-hooks.ts';
import { clientOnPath, isAtLeast, NEWER_CLIENT, OLDER_CLIENT } from '../host/client.ts';
import { findingsFor } from '../findings.ts';
import { switchedOff } from '../host/hook-switches.ts';
import { readSettingsFiles, type SettingsFile } from '../host/settings-files.ts';
import type { Check, DoctorContext, Finding } from '../types.ts';

const report = findingsFor('settings');

/** Whether the client can read its settings files, and whether one of them switches hooks off. */
export const checkSettings: Check = {
  run: (context) => {
    const files = readSettingsFiles(context);
    const looks = files.map((file) => ({ file, troubles: troublesOf(context, file) }));
    const fine = looks.filter((look) => look.troubles.length === 0).map(({ file }) => looked(file));
    return [
      ...(fine.length === 0
        ? []
        : [report.ok('Claude Code reads these settings', { evidence: fine })]),
      ...looks.flatMap((look) => look.troubles),
      ...switchedOff(files),
      ...ownSettings(context),
    ];
  },
};

function looked({ shown, reading, elsewhere }: SettingsFile): string {
  const words = reading.kind === 'absent' ? 'missing' : reading.kind === 'json' ? 'read' : 'empty';
  const readers = elsewhere === null ? '' : `, by Claude Code ${NEWER_CLIENT} and newer`;
  return `${shown}: ${words}${readers}`;
}

function troublesOf(context: DoctorContext, { shown, reading }: SettingsFile): Finding[] {
  switch (reading.kind) {
    case 'absent':
    case 'empty':
      return [];
    case 'refused':
      return [
        reading.why === 'too large'
          ? report.skipped(`${shown} is too large to check`)
          : report.broken(`${shown} cannot be read: ${reading.why}`, {
              fix: `make ${shown} a file that you may read`,
            }),
      ];
    case 'not JSON':
      return [
        report.broken(`${shown} is not strict JSON, so Claude Code ignores the whole file`, {
          evidence: [`${shown}:${reading.line}: ${describeJsonSyntax(reading.why)}`],
          fix: `correct line ${reading.line} of ${shown} by hand`,
        }),
      ];
    default:
      return misshapen(context, shown, reading.json);
  }
}

function misshapen(context: DoctorContext, shown: string, json: unknown): Finding[] {
  const part = misshapenPart(json);
  if (part === null) return [];
  if (!hasHookLists(json)) {
    return [
      report.broken(`${shown}: ${part} is not in the format that Claude Code expects`, {
        fix: `correct ${part} in ${shown}: "hooks" is an object, and each event in it a list`,
      }),
    ];
  }
  const { version } = clientOnPath(context);
  const tell =
    version === null || isAtLeast(version, NEWER_CLIENT) ? report.warning : report.broken;
  return [
    tell(`${shown}: because of ${part}, clients before ${NEWER_CLIENT} run no hook of this file`, {
      evidence: [
        `so did ${OLDER_CLIENT}; ${NEWER_CLIENT} skips that part`,
        version === null ? 'the version of this client is not known' : `this client is ${version}`,
      ],
      fix: `correct ${part} in ${shown}: {"matcher": "", "hooks": [{"type": "command", "command": "…"}]}`,
    }),
  ];
}

function ownSettings({ settings }: DoctorContext): Finding[] {
  return describeSettingsFile(SETTINGS_FILE, settings.problems).map((problem) =>
    report.warning(problem, { fix: `correct it in ${SETTINGS_FILE}` }),
  );
}
