import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { stateFiles } from '../support/state.ts';
import { CLIENT_VERSIONS } from './support/client.ts';
import { drive } from './support/drive.ts';
import { openHost } from './support/holdfast.ts';
import type { Host } from './support/host.ts';
import { isSideJob, isSubAgent, type ModelRequest } from './support/request.ts';
import type { Reply, ToolCall } from './support/reply.ts';

const ONE_STEP = `name: Release
description: Ships it
steps:
  - {id: ship, type: action, instructions: SHIP-IT}
`;

/** A hook in a front matter that leaves a file, so that one can see whether it ran. */
const hooked = (name: string, ran: string): string => `---
name: ${name}
description: Helps to ship
hooks:
  PreToolUse:
    - matcher: "*"
      hooks:
        - type: command
          command: "touch ran-${ran}"
---
SHIP-WITH-CARE
`;

const FILES = {
  '.claude/settings.json': {},
  '.claude/holdfast/workflows/release.yaml': ONE_STEP,
  '.claude/agents/reviewer.md': hooked('reviewer', 'agent'),
  '.claude/skills/deploy/SKILL.md': hooked('deploy', 'skill'),
  '.claude/commands/notes.md': hooked('notes', 'command'),
};

const bash = (command: string): ToolCall => ({
  name: 'Bash',
  input: { command, description: 'scripted' },
});

/** Asks the agent, the skill and the command of the project for help, and finishes the step. */
function helper(): (request: ModelRequest) => Reply {
  const calls: ToolCall[] = [
    {
      name: 'Agent',
      input: {
        description: 'scripted',
        prompt: 'Look at it.',
        subagent_type: 'reviewer',
        run_in_background: false,
      },
    },
    { name: 'Skill', input: { skill: 'deploy' } },
    bash('true'),
    { name: 'Skill', input: { skill: 'notes' } },
    bash('true'),
    bash('holdfast advance'),
  ];
  const ofSubAgent = [bash('true')];
  // A skill begins a new prompt, so the calls of a prompt cannot be counted.
  return (request) => {
    if (isSideJob(request)) return { text: 'side job' };
    const call = (isSubAgent(request) ? ofSubAgent : calls).shift();
    return call === undefined ? { text: 'DONE' } : { tools: [call] };
  };
}

/** As if nobody had ever accepted the question of the client in any folder. */
function trustNothing({ home }: Host): () => void {
  const path = join(home.path, '.claude.json');
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(before), projects: {} }));
  return () => writeFileSync(path, before);
}

const RUN = ['--template', 'release', '--allow', 'Bash', '--allow', 'Skill', '--allow', 'Agent'];

describe.each(CLIENT_VERSIONS)(
  'hooks in the front matter of a project, in client %s',
  (version) => {
    it('are refused before the client starts, and run once the folder is trusted', async (context) => {
      const { expect } = context;
      const host = await openHost(version, context, { git: true, files: FILES, answer: helper() });
      const ran = (): string[] =>
        ['agent', 'skill', 'command'].filter((name) =>
          existsSync(host.project.path(`ran-${name}`)),
        );
      const trustAgain = trustNothing(host);

      const refused = await drive(version, host, RUN);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain('is not trusted in Claude Code');
      for (const file of ['agents/reviewer.md', 'skills/deploy/SKILL.md', 'commands/notes.md'])
        expect(refused.stderr).toContain(`.claude/${file}`);
      expect(ran()).toEqual([]);
      expect(host.model.turns()).toEqual([]);
      expect(stateFiles(host.project.root)).toEqual([]);

      trustAgain();
      const trusted = await drive(version, host, RUN);
      expect(trusted).toMatchObject({ code: 0, stderr: '' });
      expect(ran()).toEqual(['agent', 'skill', 'command']);
    });
  },
);
