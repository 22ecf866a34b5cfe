import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modulesSeen, recordModule } from '../../../src/sessions/loaded-modules.ts';
import { SessionRegistry } from '../../../src/sessions/session-registry.ts';

const SHOP = '/home/dev/shop';

let config: string;
let registry: SessionRegistry;

beforeEach(() => {
  config = mkdtempSync(join(tmpdir(), 'holdfast-registry-'));
  registry = new SessionRegistry(config, Date.now());
});
afterEach(() => rmSync(config, { recursive: true }));

describe('the module that a session has loaded', () => {
  it('is noted at most once an hour, and again for another version', () => {
    const at = Date.now();
    const note = (now: number, version = '1.0.0'): void =>
      recordModule(new SessionRegistry(config, now), 's1', { version, project: SHOP });
    note(at);
    note(at + 60_000);
    expect(modulesSeen(registry, SHOP)).toEqual([{ version: '1.0.0', project: SHOP, at }]);
    note(at + 3_600_000);
    note(at + 3_600_001, '2.0.0');
    expect(modulesSeen(registry, SHOP)).toEqual([
      { version: '2.0.0', project: SHOP, at: at + 3_600_001 },
    ]);
  });

  it('does not change what else is known of the session', () => {
    registry.recordProject('s1', SHOP);
    recordModule(registry, 's1', { version: '1.0.0', project: SHOP });
    registry.recordFill('s1', 70, [60, 80]);
    expect(registry.entry('s1')).toMatchObject({
      project: SHOP,
      module: { version: '1.0.0' },
      fill: { percent: 70 },
    });
  });
});
