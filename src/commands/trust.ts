import { HoldfastError } from '../text/holdfast-error.ts';
import { resolve } from 'node:path';
import { projectIdentity } from '../files/git.ts';
import { isTypedInClient } from '../sessions/caller.ts';
import type { OperationContext, Project } from '../sessions/open-project.ts';
import type { FoundTemplate } from '../templates/find-template.ts';
import {
  countsIn,
  hashOf,
  isTrusted,
  projectOfEntry,
  readTrust,
  requireOutsideProject,
  trust as trustTemplate,
  untrust as untrustTemplate,
  type TrustedTemplate,
} from '../templates/gates/trust.ts';
import { gatesOf } from '../machine/gates.ts';
import type { Template } from '../machine/template-types.generated.ts';
import { shellQuote } from '../text/shell-commands.ts';
import { slugOf } from '../text/slug.ts';
import {
  asWord,
  escapeInvisible,
  escapeInvisibleLines,
  quoted,
  sanitizeLine,
} from '../text/sanitize.ts';
import { command, requirePerson, type Shown } from './command.ts';
import type { TrustDocument, UntrustDocument } from './json/documents.ts';
import { canAsk, confirm } from './confirm.ts';
import { flag, textOption } from './options.ts';
import { print } from './view/output.ts';
import { requireUsable } from '../state/run.ts';

export const trust = command({
  usage: 'trust <template>',
  about:
    'show the commands of a template and allow it to run them in this project',
  examples: [
    'holdfast trust deploy',
    'holdfast trust .claude/holdfast/workflows/deploy.yaml --yes',
  ],
  takesProof: true,
  options: {
    yes: flag('do not ask for confirmation'),
    // The hash of the content whose commands a person has seen in the client.
    seen: { ...textOption('', 'hash'), isHidden: true },
  },
  run: async (
    context,
    { template: typed, yes, seen },
  ): Promise<Shown<TrustDocument>> => {
    const found = await findTemplateOrRun(context, typed);
    const { template } = found;
    if (gatesOf(template).length === 0)
      return report(
        context,
        found,
        'has no gates, so it does not need to be trusted',
      );

    requireTruster(context, template, typed);
    requireOutsideProject(context);
    warnOfTrustProblem(context);
    if (isTrusted(context, template))
      return report(
        context,
        found,
        'is already trusted with this content in this project',
      );

    const project = projectIdentity(context.root);
    const hash = hashOf(template);
    const isInClient = isTypedInClient(context.caller);
    // Nobody can be asked there, so the first call shows the commands, and the second one names what was shown.
    if (isInClient && seen !== hash) return askInClient(found, project, hash);
    if (!isInClient) print(2, questionText(template, found.file, project));
    if (!isInClient && !yes) await confirmTrust(template.name, project);
    trustTemplate(context, template, placeOf(context, found), context.now);
    const where = `in ${escapeInvisible(project)}`;
    const done = `is now trusted with this content ${where}; after any change, and in any other project, it has to be trusted again`;
    return report(context, found, done, hash);
  },
});

function requireTruster(
  context: OperationContext,
  template: Template,
  typed: string,
): void {
  const what = `trust ${quoted(template.name)}, which runs commands`;
  requirePerson(
    context,
    'trust',
    what,
    () => `\`holdfast trust ${shellQuote(typed)}\` in a terminal of their own`,
  );
}

/** What is known of a template whose trust is asked for. */
function factsOf(
  { template, file }: FoundTemplate,
  project: string,
): Omit<TrustDocument, 'trusted' | 'told' | 'hash'> {
  return { template: template.name, file, project, gates: gatesOf(template) };
}

/** `done` follows the name of the template; `hash` is that of content which is trusted from now on. */
function report(
  { root }: Pick<Project, 'root'>,
  found: FoundTemplate,
  done: string,
  hash?: string,
): Shown<TrustDocument> {
  const facts = factsOf(found, projectIdentity(root));
  const trusted = facts.gates.length > 0;
  const told = `${nameOf(found.template)} ${done}.`;
  const ofContent = hash === undefined ? {} : { hash };
  return { data: { ...facts, trusted, ...ofContent, told }, text: told };
}

function askInClient(
  found: FoundTemplate,
  project: string,
  hash: string,
): Shown<TrustDocument> {
  const told = questionText(found.template, found.file, project);
  const facts = factsOf(found, project);
  return { data: { ...facts, trusted: false, hash, told }, text: told };
}

/** A built-in template has no file in the project. */
function placeOf(
  { root }: Pick<Project, 'root'>,
  { origin, file }: FoundTemplate,
): string {
  return origin === 'built-in' ? file : resolve(root, file);
}

/** What the person is asked to allow: every command, and in which project. */
function questionText(
  template: Template,
  file: string,
  project: string,
): string {
  const name = `${nameOf(template)} (${asWord(escapeInvisible(file))})`;
  const where = `in the project ${escapeInvisible(project)} and its git worktrees`;
  const commands = gatesOf(template).flatMap((gate) => [
    `  ${escapeInvisible(gate.where)}`,
    ...escapeInvisibleLines(gate.command, '    '),
  ]);
  return [`${name} runs these commands ${where}:`, ...commands].join('\n');
}

const nameOf = ({ name }: Template): string =>
  asWord(escapeInvisible(name), MAX_NAME);
const MAX_NAME = 200;

export const untrust = command({
  usage: 'untrust <template>',
  about: 'revoke the trust in a template in this project',
  examples: ['holdfast untrust deploy'],
  run: async (context, { template }): Promise<Shown<UntrustDocument>> => {
    const untrusted = await revokeTrust(context, template);
    return {
      data: { untrusted },
      text: `${sanitizeLine(template)} ${revokedText(untrusted)}.`,
    };
  },
});

function revokedText(untrusted: readonly TrustedTemplate[]): string {
  if (untrusted.length === 0)
    return 'is not trusted in this project; nothing to revoke';
  // A path may name the template of another project.
  const projects = new Set(
    untrusted.map((entry) => projectOfEntry(entry) ?? entry.file),
  );
  const where = [...projects].map(escapeInvisible).join(' and ');
  return `is no longer trusted in ${where}; its gates will not run there`;
}

async function confirmTrust(template: string, project: string): Promise<void> {
  if (!canAsk()) {
    throw new HoldfastError(
      'trust_unconfirmed',
      `${quoted(template)} was not trusted, as there is no terminal to ask on`,
      { hint: 'read the commands above, then run it again with --yes' },
    );
  }
  if (!(await confirm(`Allow this in ${escapeInvisible(project)}?`))) {
    throw new HoldfastError(
      'trust_unconfirmed',
      `${quoted(template)} was not trusted`,
      {
        hint: 'its gates will not run, and its runs stop before them',
      },
    );
  }
}

/**
 * Revokes trust, including for content that the template had before it was changed or deleted. A name means this project;
 * a path may lead into another one.
 */
async function revokeTrust(
  context: OperationContext,
  typed: string,
): Promise<TrustedTemplate[]> {
  const trusted = warnOfTrustProblem(context);
  const current = await currentHash(context, typed);
  const { isPath, stemOf } = await import('../templates/find-template.ts');
  const { root, cwd } = context;
  const paths = new Set([resolve(cwd, typed), resolve(root, typed)]);
  const isHere = (entry: TrustedTemplate): boolean => countsIn(root, entry);
  const hasName = ({ name, file }: TrustedTemplate): boolean =>
    [name, stemOf(file)].map(slugOf).includes(slugOf(typed));
  const matches = (entry: TrustedTemplate): boolean => {
    if (entry.hash === current && isHere(entry)) return true;
    return isPath(typed)
      ? paths.has(entry.file)
      : hasName(entry) && isHere(entry);
  };
  const revoked = untrustTemplate(context, context.now, matches);
  if (revoked.length === 0 && current === undefined) {
    const names = [...new Set(trusted.filter(isHere).map(({ name }) => name))];
    const none = 'no template is trusted in this project';
    throw new HoldfastError(
      'never_trusted',
      `${quoted(typed)} was never trusted in this project`,
      {
        hint:
          names.length === 0
            ? none
            : `trusted: ${names.map((name) => asWord(name)).join(', ')}`,
      },
    );
  }
  return revoked;
}

function warnOfTrustProblem(context: Project): TrustedTemplate[] {
  const { problem, trusted } = readTrust(context);
  if (problem !== null) context.warn(problem);
  return trusted;
}

/** A run may hold a template that differs from the file it came from. */
async function findTemplateOrRun(
  context: Project,
  typed: string,
): Promise<FoundTemplate> {
  const run = context.store.list().runs.find(({ runId }) => runId === typed);
  const usable = run === undefined ? null : requireUsable(run);
  if (usable?.kind === 'template')
    return { template: usable.template, file: usable.path, origin: 'path' };
  // It needs a YAML parser, which takes time to load.
  const { findTemplate } = await import('../templates/find-template.ts');
  return findTemplate(context.root, context.cwd, typed);
}

/** Undefined if the template is missing or broken; it can still be matched by name or path. */
async function currentHash(
  context: Project,
  typed: string,
): Promise<string | undefined> {
  try {
    const { template } = await findTemplateOrRun(context, typed);
    return hashOf(template);
  } catch (error) {
    if (error instanceof HoldfastError) return undefined;
    throw error;
  }
}
