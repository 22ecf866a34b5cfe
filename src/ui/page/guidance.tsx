import type { JSX } from 'preact';
import type { GuidancePage } from '../model/types/guidance.ts';
import { useData } from './hooks.ts';
import { Icon } from './icons.tsx';
import { Chevron, CopyButton, Panel } from './parts.tsx';
import { percentOf, ShareBar, shareClass } from './share-bar.tsx';

/** What the next session would get, section by section. */
export function GuidanceTab({ id, version }: { id: string; version: number }): JSX.Element {
  const { data, error } = useData<GuidancePage>(
    `data/guidance?id=${encodeURIComponent(id)}`,
    version,
  );
  if (error !== null)
    return (
      <p class="nothing">
        {error.message}. {error.hint}.
      </p>
    );
  if (data === null) return <p class="loading">Loading</p>;
  if (data.kind === 'none')
    return <p class="nothing">A session gets nothing of this run: {data.why}.</p>;
  return <Guidance page={data} />;
}

function Guidance({ page }: { page: GuidancePage }): JSX.Element {
  const { sections, characters, tokens, maxCharacters, leftOut, why, userLine } = page;
  const shares = sections.map(({ name, characters: size }, key) => ({
    key,
    name,
    characters: size,
  }));
  return (
    <div class="guidance">
      <Panel
        title="As the next session would get it"
        aside={
          <CopyButton
            text={sections.map(({ text }) => text).join('\n\n')}
            what="the whole guidance"
          />
        }
      >
        <p>
          <strong>{characters.toLocaleString('en')}</strong> of {maxCharacters.toLocaleString('en')}{' '}
          characters, about {tokens.toLocaleString('en')} tokens.{' '}
          <span class="muted">Why: {why}.</span>
        </p>
        <ShareBar shares={shares} total={maxCharacters} />
        <ol class="guidance-sections">
          {sections.map((section, key) => (
            <li key={`${key} ${section.name}`}>
              <details open={key < 2}>
                <summary>
                  <Chevron />
                  <span class={`swatch ${shareClass(key)}`} />
                  <span class="section-name">{section.name}</span>
                  {section.cut !== null && <span class="tag tag-wait">cut</span>}
                  <span class="section-size">
                    {section.characters.toLocaleString('en')} <span class="unit">characters</span>{' '}
                    <strong>{percentOf(section.characters, maxCharacters)}</strong>
                  </span>
                </summary>
                {section.cut !== null && (
                  <p class="cut">
                    <Icon name="alert" /> Left out: {section.cut}
                  </p>
                )}
                <pre tabIndex={0}>{section.text}</pre>
              </details>
            </li>
          ))}
        </ol>
      </Panel>
      {leftOut.length > 0 && (
        <Panel title="Left out">
          <ul class="plain-list">
            {leftOut.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Panel>
      )}
      {userLine !== '' && (
        <Panel title="What you see in Claude Code">
          <p class="mono">{userLine}</p>
        </Panel>
      )}
    </div>
  );
}
