import { render, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Overview, Refused, RunPage } from '../page-data.ts';
import { OVERVIEW_HREF, useLive, useRoute, useTick, type Tab } from './data.ts';
import { OverviewView } from './overview.tsx';
import { Logo, ViewTitle } from './parts.tsx';
import { RunView } from './run.tsx';

function App(): JSX.Element {
  const { project, id, tab } = useRoute();
  const { connection, data, error } = useLive(queryOf(project, id));
  useTick();
  const title = documentTitle(data);
  useEffect(() => {
    document.title = title;
  }, [title]);
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
        {error === null ? (
          <View data={data} tab={tab} />
        ) : (
          <Failure error={error} of={id ?? 'overview'} />
        )}
      </main>
      <footer class="foot muted small">
        {data?.mayChangeRuns === true
          ? 'You can act here; an agent cannot.'
          : 'Read-only.'}{' '}
        Everything on this page comes from this machine.
      </footer>
    </>
  );
}

/** The query of the events that the page follows; `id` is null for the list of runs. */
function queryOf(project: string, id: string | null): string {
  if (id === null) return '';
  const query = new URLSearchParams({ view: 'run', project, id });
  return `?${query.toString()}`;
}

/** `(2) User Auth · holdfast`, where the number is that of the runs that need a person. */
function documentTitle(data: Overview | RunPage | null): string {
  if (data === null) return 'holdfast';
  const isRun = 'card' in data;
  const name = isRun ? data.card.workflow : data.project.name;
  const needs = isRun
    ? data.needs_you
    : data.runs.filter((card) => card.needs !== null).length;
  const count = needs === 0 ? '' : `(${needs}) `;
  return `${count}${name} · holdfast`;
}

function View(props: {
  data: Overview | RunPage | null;
  tab: Tab;
}): JSX.Element {
  const { data, tab } = props;
  if (data === null)
    return (
      <p class="muted" role="status">
        Loading
      </p>
    );
  if ('card' in data) return <RunView page={data} tab={tab} />;
  return <OverviewView overview={data} />;
}

/** `of` names the view that is not there, for the focus. */
function Failure(props: { error: Refused['error']; of: string }): JSX.Element {
  const { error, of } = props;
  return (
    <div class="nothing">
      <ViewTitle of={of}>{sentence(error.message)}</ViewTitle>
      <p>{sentence(error.hint)}.</p>
      <p>
        <a href={OVERVIEW_HREF}>All runs</a>
      </p>
    </div>
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
