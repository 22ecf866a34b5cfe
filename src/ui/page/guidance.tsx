import type { JSX } from 'preact';
import type { RunPage } from '../page-data.ts';
import {
  Chevron,
  CopyButton,
  Icon,
  Lines,
  Panel,
  shareStyle,
} from './parts.tsx';

/** The first sections are open. */
const OPEN_SECTIONS = 2;

/** What the next session would get, section by section. */
export function GuidanceTab({
  page: { guidance },
}: {
  page: RunPage;
}): JSX.Element {
  const {
    text,
    why,
    sections,
    characters,
    tokens,
    budget,
    left_out: leftOut,
  } = guidance;
  if (text === null)
    return (
      <p class="nothing muted">A session gets nothing of this run: {why}.</p>
    );
  return (
    <div class="guidance stack">
      <Panel
        title="As the next session would get it"
        aside={<CopyButton text={text} what="the whole guidance" />}
      >
        <p>
          <strong>{characters.toLocaleString('en')}</strong> of{' '}
          {budget.toLocaleString('en')} characters, about{' '}
          {tokens.toLocaleString('en')} tokens.{' '}
          <span class="muted">
            The session that continues this run gets it after a compaction.
          </span>
        </p>
        <ShareBar shares={sections} total={budget} />
        <ol class="guidance-sections lined">
          {sections.map((section, index) => (
            <li key={`${index} ${section.name}`}>
              <details open={index < OPEN_SECTIONS}>
                <summary>
                  <Chevron />
                  <span class="swatch share" style={shareStyle(index)} />
                  <strong>{section.name}</strong>
                  {section.cut !== null && (
                    <span class="tag tone-wait">cut</span>
                  )}
                  <span class="section-size muted small">
                    {section.characters.toLocaleString('en')}{' '}
                    <span class="unit">characters</span>{' '}
                    <strong>{percentOf(section.characters, budget)}</strong>
                  </span>
                </summary>
                {section.cut !== null && (
                  <p class="small toned tone-wait">
                    <Icon name="alert" /> Left out: {section.cut}
                  </p>
                )}
                <pre tabIndex={0}>{section.text}</pre>
              </details>
            </li>
          ))}
        </ol>
      </Panel>
      <Lines title="Left out" lines={leftOut} />
    </div>
  );
}

function percentOf(characters: number, total: number): string {
  if (total <= 0) return '0 %';
  const percent = (100 * characters) / total;
  return percent > 0 && percent < 1 ? '< 1 %' : `${Math.round(percent)} %`;
}

type Shares = {
  shares: readonly { name: string; characters: number }[];
  total: number;
};

function ShareBar({ shares, total }: Shares): JSX.Element {
  const words = shares.map(
    ({ name, characters }) => `${name} ${percentOf(characters, total)}`,
  );
  return (
    <div class="share-bar" role="img" aria-label={words.join(', ')}>
      {shares.map(({ characters }, index) => (
        <span
          key={index}
          class="share"
          title={words[index]}
          style={{
            ...shareStyle(index),
            width: `${(100 * characters) / Math.max(total, 1)}%`,
          }}
        />
      ))}
    </div>
  );
}
