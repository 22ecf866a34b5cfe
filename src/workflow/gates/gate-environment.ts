/** What a gate's command is given of the environment: everything but what is the host's, ours, or looks like a secret. */
export function gateEnvironment(
  environment: Record<string, string | undefined>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]): [string, string][] =>
      value === undefined || isWithheld(name.toUpperCase()) ? [] : [[name, value]],
    ),
  );
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
