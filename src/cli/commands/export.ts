import { namedRun } from '../../operations/pick.ts';
import { packed } from '../../state/portable.ts';
import { jsonText } from '../../guidance/json-text.ts';
import { everyRun } from '../archive.ts';
import type { Cli } from '../context.ts';

/** One run as one file, on standard output: `holdfast import` takes it in elsewhere. */
export function exportRun(cli: Cli, name: string): void {
  const run = namedRun(everyRun(cli), name);
  const file = packed(run, cli.store.journal(run), cli.now);
  cli.output.result(file, jsonText(file));
}
