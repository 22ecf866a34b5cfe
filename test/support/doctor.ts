import { chmodSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fse from 'fs-extra';
import { expect } from 'vitest';
import { binary, sandbox, type CallOptions, type Sandbox } from './cli.ts';

export interface Finding {
  check: string;
  level: string;
  message: string;
  evidence?: string[];
  fix?: string;
  fixable: boolean;
}

export interface Report {
  findings: Finding[];
  summary: Record<string, number>;
  root: string;
  error?: { code: string };
}

/** Files by their path: from the home folder if it starts with `~/`, else from the project. Objects are written as JSON. */
export type Tree = Record<string, string | object>;

export const LOCAL = '.claude/settings.local.json';
export const SHARED = '.claude/settings.json';

export function boxWith(tree: Tree): Sandbox {
  const box = sandbox();
  for (const [path, content] of Object.entries(tree)) put(box, path, content);
  return box;
}

export function put(
  box: Sandbox,
  path: string,
  content: string | object,
): string {
  const full = path.startsWith('~/')
    ? join(box.home, path.slice(2))
    : join(box.root, path);
  fse.outputFileSync(
    full,
    typeof content === 'string' ? content : JSON.stringify(content),
  );
  return full;
}

/** Programs that print one line, in a folder for a PATH. */
export function programs(
  box: Sandbox,
  outputs: Record<string, string>,
): string {
  for (const [name, output] of Object.entries(outputs))
    chmodSync(
      put(box, `~/bin/${name}`, `#!/bin/sh\necho '${output}'\n`),
      0o755,
    );
  return join(box.home, 'bin');
}

export function doctor(
  box: Sandbox,
  words: string[] = [],
  options?: CallOptions,
): Report {
  const { code, stdout } = box.run(['doctor', '--json', ...words], {
    ...options,
    code: 'any',
  });
  const report: Report = JSON.parse(stdout);
  expect(code, stdout).toBe(
    report.findings.some(({ level }) => level === 'broken') ? 1 : 0,
  );
  return report;
}

/** What one check found, a text for each finding: its level, what it says, the evidence and the fix. */
export function findings(
  box: Sandbox,
  check: string,
  options?: CallOptions,
): string[] {
  return findingsIn(doctor(box, [], options), check);
}

const findingsIn = (report: Report, check: string): string[] =>
  report.findings
    .filter((finding) => finding.check === check)
    .map(({ level, message, evidence = [], fix = '' }) =>
      [`${level}: ${message}`, ...evidence, `fix: ${fix}`].join('\n'),
    );

/** Of these, what a user should know about. */
export const troublesIn = (report: Report, check: string): string[] =>
  findingsIn(report, check).filter((text) => !/^(?:ok|skipped):/.test(text));

export function troubles(
  box: Sandbox,
  check: string,
  options?: CallOptions,
): string[] {
  return troublesIn(doctor(box, [], options), check);
}

/** Some finding has all these parts; there is none if there are no parts. */
export function expectOne(found: string[], parts: readonly string[]): void {
  if (parts.length === 0) expect(found).toEqual([]);
  else if (!found.some((text) => parts.every((part) => text.includes(part))))
    expect(found).toEqual(parts);
}

type Hooks = Record<
  string,
  { matcher: string; hooks: Record<string, unknown>[] }[]
>;

let written: string | undefined;

/** Settings as `init` writes them, with the hooks of the build. */
export function installedHooks(): Hooks {
  written ??= JSON.stringify(hooksOf(sandbox()));
  return JSON.parse(written);
}

function hooksOf(box: Sandbox): Hooks {
  if (box.run(['init']).code !== 0) throw new Error('init failed');
  const text = readFileSync(join(box.root, LOCAL), 'utf8');
  return JSON.parse(
    text.replaceAll(
      join(box.home, '.claude/holdfast'),
      dirname(dirname(binary)),
    ),
  ).hooks;
}
