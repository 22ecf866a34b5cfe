import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { archived, onlyRun } from '../support/state.ts';
import { CLIENT_VERSIONS } from './support/client.ts';
import { drive, worker } from './support/drive.ts';
import { given } from './support/given.ts';
import { holdfast, openHost } from './support/holdfast.ts';
import { lastPrompt, sessionOf } from './support/request.ts';

const WHOLE = `name: Release
description: Ships it
agents: {reviewer: {description: Reads everything twice}}
steps:
  - {id: plan, type: action, instructions: PLAN-IT}
  - {id: build, type: loop}
  - {id: check, type: action, context: compact, instructions: CHECK-IT, gate: test -f checked}
  - {id: review, type: action, agent: reviewer, instructions: REVIEW-IT}
  - {id: polish, type: ralph, n: 5, until: test -f polished, context: clear, instructions: POLISH-IT}
  - {id: sign, type: approval}
  - {id: ship, type: action, instructions: SHIP-IT}
loops:
  build:
    - {id: code, instructions: "CODE {task.title}"}
    - {id: test, instructions: "TEST {task.title}"}
transitions:
  - {from: sign, to: ship, context: keep}
`;

describe.each(CLIENT_VERSIONS)('a driven run in client %s', (version) => {
  it('goes from start to archive over every kind of boundary, without installed hooks', async (context) => {
    const { expect } = context;
    const host = await openHost(version, context, {
      git: true,
      files: {
        '.claude/settings.json': {},
        '.claude/holdfast/workflows/release.yaml': WHOLE,
      },
    });
    const { root } = host.project;
    let checks = 0;
    let polishes = 0;
    host.model.answerWith(
      worker((step, request) => {
        switch (step) {
          case 'plan':
            return [
              `printf 'Basket\\nPayment\\n' | holdfast tasks build`,
              'holdfast advance --output planned',
            ];
          case 'check':
            checks += 1;
            return ['holdfast advance'];
          case 'polish':
            polishes += 1;
            return polishes > 3 ? ['touch polished', 'holdfast advance'] : ['holdfast advance'];
          case 'other':
            return lastPrompt(request).text.includes('the gate')
              ? ['touch checked', 'holdfast advance']
              : [];
          default:
            return ['holdfast advance'];
        }
      }),
    );
    await holdfast(host, ['trust', 'release', '--yes']);
    const words = ['--template', 'release', '--json', '--allow', 'Bash'];
    const first = await drive(version, host, words);
    console.log(first.stdout);
    expect(first.stderr).toContain('waits for your approval');
    expect(first.code).toBe(3);
    expect(onlyRun(root)).toMatchObject({
      machine: { step: 'sign', outputs: { plan: 'planned' } },
    });

    const requests = host.model.turns();
    const asked = (text: string) => requests.filter((request) => given(request).includes(text));
    expect(asked('CHECK-IT').length).toBeGreaterThan(0);
    const sessions = [...new Set(requests.map(sessionOf))];
    const reviewed = requests.filter(({ system }) =>
      JSON.stringify(system).includes('Reads everything twice'),
    );
    expect(reviewed.length).toBeGreaterThan(0);
    expect(sessions.length).toBeGreaterThanOrEqual(4);
    const events = first.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const names = events.map(({ event }: { event: string }) => event);
    expect(names).toContain('compacted');
    expect(
      events.filter(({ event, result }) => event === 'gate' && result === 'failed'),
    ).toHaveLength(1);
    expect(checks).toBeGreaterThan(0);

    await holdfast(host, ['approve']);
    const second = await drive(version, host, ['release', '--allow', 'Bash']);
    expect(second).toMatchObject({ code: 0, stderr: '' });
    const [name = ''] = archived(root).filter((file) => file.endsWith('.json'));
    const state = JSON.parse(readFileSync(`${root}/untracked/workflow-archive/${name}`, 'utf8'));
    expect(state.status).toBe('completed');
  });
});
