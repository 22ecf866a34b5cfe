import { render, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { OVERVIEW_HREF, useLive, useRoute, useTick } from './data.ts';
import { OverviewView } from './overview.tsx';
import { Logo, ViewTitle } from './parts.tsx';
import { RunView } from './run.tsx';

function App(): JSX.Element {
  const { project, id, tab } = useRoute();
  const { connection, data, error } = useLive(
    id === null
      ? ''
      : `?${new URLSearchParams({ view: 'run', project, id }).toString()}`,
  );
  useTick();
  const isRun = data !== null && 'card' in data;
  const title = isRun ? data.card.workflow : data?.project.name;
  const needs = isRun
    ? data.needs_you
    : data?.runs.filter((card) => card.needs !== null).length;
  useEffect(() => {
    const count = (needs ?? 0) === 0 ? '' : `(${needs}) `;
    document.title =
      title === undefined ? 'holdfast' : `${count}${title} · holdfast`;
  }, [title, needs]);
  return (
    <>
      <a class="skip-link" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <header class="bar split">
        <a class="brand line" href={OVERVIEW_HREF}>
          <Logo />
          <span>holdfast</span>
        </a>
        <span
          class={`line small toned ${connection === 'lost' ? 'tone-bad' : ''}`}
          role="status"
        >
          <span class="live-dot" />
          {SIGNS[connection]}
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        {connection === 'lost' && (
          <div class="notice tone-wait" role="alert">
            <span>
              The server behind this page does not answer. What you see may be
              out of date. If you stopped it, start it again with{' '}
              <code>holdfast ui</code>.
            </span>
          </div>
        )}
        {error !== null ? (
          <div class="nothing">
            <ViewTitle of={id ?? 'overview'}>
              {sentence(error.message)}
            </ViewTitle>
            <p>{sentence(error.hint)}.</p>
            <p>
              <a href={OVERVIEW_HREF}>All runs</a>
            </p>
          </div>
        ) : data === null ? (
          <p class="muted" role="status">
            Loading
          </p>
        ) : isRun ? (
          <RunView page={data} tab={tab} />
        ) : (
          <OverviewView overview={data} />
        )}
      </main>
      <footer class="foot muted small">
        {data?.acts === true
          ? 'You can act here; an agent cannot.'
          : 'Read-only.'}{' '}
        Everything on this page comes from this machine.
      </footer>
    </>
  );
}

/** The address must keep naming the view, so the link moves the focus itself. */
function focusMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

const SIGNS = { connecting: 'Connecting', live: 'Live', lost: 'Not connected' };

function sentence(text: string): string {
  const trimmed = text.replace(/\.$/, '');
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}`;
}

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
