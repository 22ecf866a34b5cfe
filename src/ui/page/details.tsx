import type { JSX } from 'preact';
import type { RunPage } from '../views.ts';
import { Facts, LongText, Panel, valueText } from './parts.tsx';

/** Everything else that is stored about the run. */
export function DetailsTab({ page }: { page: RunPage }): JSX.Element {
  const { run, artifacts, feedback, card } = page;
  const outputs = [
    ...Object.entries(run.outputs ?? {}).map(([n, { text = '', artefacts = [] }]) => ({
      from: run.phases?.[Number(n) - 1] ?? `Phase ${n}`,
      text,
      files: artefacts,
    })),
    ...Object.entries(page.outputs).map(([from, text]) => ({ from, text })),
  ];
  return (
    <div class="stack">
      <Texts
        title="Decisions and dead ends"
        parts={(run.notes ?? []).toReversed().map(({ phase, text, by }) => ({
          from: `${phase}${by === 'model' ? ', by the model before a compaction' : ''}`,
          text,
        }))}
      />
      <Texts title="What was handed on" parts={outputs} />
      <Texts
        title="Feedback"
        parts={feedback.map(({ from, to, text, finished }) => ({
          from: `${from} → ${to}`,
          text,
          isOpen: finished !== true,
        }))}
      />
      <Table title="Context" entries={run.context ?? {}} />
      <Table title="Artifacts" entries={artifacts} />
      <p class="muted small">
        Everything that is stored: <code>holdfast show {card.run_id}</code>
      </p>
    </div>
  );
}

function Table({ title, entries }: { title: string; entries: object }): JSX.Element | null {
  const facts = Object.entries(entries).map(([name, value]) => [name, valueText(value)] as const);
  if (facts.length === 0) return null;
  return (
    <Panel title={title}>
      <Facts class="fact-table lined" facts={facts} />
    </Panel>
  );
}

interface Part {
  from: string;
  text: string;
  files?: string[];
  isOpen?: boolean;
}

function Texts({ title, parts }: { title: string; parts: Part[] }): JSX.Element | null {
  if (parts.length === 0) return null;
  return (
    <Panel title={title}>
      <div class="list">
        {parts.map(({ from, text, files = [], isOpen = false }, index) => (
          <div key={index}>
            <h3>
              {from} {isOpen && <span class="tag tone-wait">open</span>}
            </h3>
            {text !== '' && <LongText text={text} />}
            {files.length > 0 && <p class="mono small">{files.join(', ')}</p>}
          </div>
        ))}
      </div>
    </Panel>
  );
}
