import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { inWords } from '../io/refusals.ts';
import { removeIfEmpty } from '../io/remove.ts';
import { removeLeftovers } from '../io/replace-text.ts';
import { exclusively } from './exclusively.ts';
import { forgetOthersThan } from './forget.ts';
import { makeChanges, untilSettled } from './make-changes.ts';
import type { Installs } from './record.ts';
import { readRecord, setAsideIfDamaged } from './record-file.ts';
import type { Known, Plan } from './types.ts';

export interface Uninstalled {
  plan: Plan;
  /** Records that could not be understood: what they may have named is kept. */
  damaged: string[];
}

export function uninstall(config: string, draw: (known: Known) => Plan): Uninstalled {
  const done = exclusively(config, () => {
    const { installs, damaged } = readRecord(config);
    const isComplete = damaged.length === 0;
    const plan = untilSettled(() => {
      const next = draw({ installs, isComplete, made: [] });
      makeChanges(next.changes);
      return next;
    });
    sweep(installs, plan);
    setAsideIfDamaged(config);
    forgetOthersThan(config, plan.installs, isComplete);
    return { plan, damaged };
  });
  inWords(config, () => {
    for (const folder of done.plan.folders) removeIfEmpty(folder);
  });
  return done;
}

/** What an installation that was killed left half-written. */
function sweep({ installs }: Installs, { changes, folders, installs: left }: Plan): void {
  const staying = new Set(left.installs.map(({ root }) => root));
  const paths = installs
    .filter(({ root }) => !staying.has(root))
    .flatMap(({ edited, files }) => [...edited.map(({ path }) => path), ...files]);
  const inside = [...paths, ...changes.map(({ path }) => path)].map((path) => dirname(path));
  for (const folder of new Set([...inside, ...folders]))
    if (existsSync(folder)) removeLeftovers(folder);
}
