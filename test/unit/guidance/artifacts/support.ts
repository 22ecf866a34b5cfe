import type { Artifact } from '../../../../src/guidance/artifacts/load-plain.ts';

export function anArtifact(fields: Partial<Artifact> = {}): Artifact {
  return {
    id: 'spec',
    type: 'markdown',
    path: 'docs/spec.md',
    reload_triggers: ['session_start'],
    ...fields,
  };
}
