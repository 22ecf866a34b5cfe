type Environment = Record<string, string | undefined>;

/** Names the runs whose gates are being checked; a gate may start another holdfast that runs a gate. */
const GATE_VARIABLE = 'HOLDFAST_GATE';
/** Does not occur in run ids. */
const SEPARATOR = ',';

/**
 * The environment of the gate's command: all variables except those of Claude Code and holdfast and those that look
 * like secrets, and the run it belongs to.
 */
export function gateEnvironment(environment: Environment, run: string): Record<string, string> {
  const passed = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value === undefined || isWithheld(name.toUpperCase()) ? [] : [[name, value]],
  );
  const runs = [...runsOfGates(environment), run].join(SEPARATOR);
  return { ...Object.fromEntries(passed), [GATE_VARIABLE]: runs };
}

/** The runs whose gates this process is part of. They must not be moved from here. */
export function runsOfGates(environment: Environment): string[] {
  return (environment[GATE_VARIABLE] ?? '').split(SEPARATOR).filter((run) => run !== '');
}

const WITHHELD_BEGINNINGS = ['ANTHROPIC_', 'CLAUDE', 'HOLDFAST'];

const WITHHELD_WORDS = [
  'TOKEN',
  'SECRET',
  'PASSWORD',
  'PASSWD',
  'PASSPHRASE',
  'CREDENTIAL',
  'APIKEY',
  'API_KEY',
  'PRIVATE_KEY',
  'ACCESS_KEY',
  'SIGNING_KEY',
  'ENCRYPTION_KEY',
  'MASTER_KEY',
];

const WITHHELD_PARTS = new Set(['AUTH', 'OAUTH', 'AUTHORIZATION', 'PASS', 'PWD', 'PAT']);

const KEPT = new Set(['PWD', 'OLDPWD']);

function isWithheld(name: string): boolean {
  if (KEPT.has(name)) return false;
  return (
    WITHHELD_BEGINNINGS.some((beginning) => name.startsWith(beginning)) ||
    WITHHELD_WORDS.some((word) => name.includes(word)) ||
    name.split('_').some((part) => WITHHELD_PARTS.has(part))
  );
}
