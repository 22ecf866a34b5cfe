import { runToShow } from '../runs/which-run.ts';
import { toExport } from '../state/export-format.ts';
import { safeJson } from '../text/json.ts';
import { command } from './command.ts';
import { readJournalOf } from '../state/store/state-writer.ts';

export const show = command({
  usage: 'show [run]',
  about: 'print everything that is stored about a run',
  examples: ['holdfast show user-auth'],
  agent: 'may',
  run: (cli, { run: name }) => {
    const { state, path } = runToShow(cli, name);
    const text = `${cli.output.colors.dim(path)}\n${safeJson(state)}`;
    return { data: { run: state, path }, text, isExact: true };
  },
});

export const exportRun = command({
  usage: 'export [run]',
  about: 'print one run as one file',
  examples: ['holdfast export user-auth > user-auth.json'],
  run: (context, { run: name }) => {
    const run = runToShow(context, name);
    const file = toExport(run, readJournalOf(context.store.root, run), context.now);
    return { data: file, text: safeJson(file), isExact: true };
  },
});
