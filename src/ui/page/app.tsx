import { render, type JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Overview, RunPage } from '../views.ts';
import {
  dataPath,
  OVERVIEW_HREF,
  useData,
  useLive,
  useRoute,
  useTick,
  type Loaded,
} from './data.ts';
import { OverviewView } from './overview.tsx';
import { Logo, ViewTitle } from './parts.tsx';
import { RunView } from './run.tsx';

function App(): JSX.Element {
  const { project, id, tab } = useRoute();
  const view = tab === 'guidance' ? tab : 'run';
  const { connection, version } = useLive(
    id === null ? null : new URLSearchParams({ view, project, id }),
  );
  const overview = useData<Overview>(id === null ? 'data/overview' : null, version);
  const run = useData<RunPage>(id === null ? null : dataPath('run', project, id), version);
  useTick();
  const title = id === null ? overview.data?.project.name : run.data?.card.workflow;
  const needs =
    id === null
      ? overview.data?.runs.filter((card) => card.needs !== null).length
      : run.data?.needs_you;
  useEffect(() => {
    const count = (needs ?? 0) === 0 ? '' : `(${needs}) `;
    document.title = title === undefined ? 'holdfast' : `${count}${title} · holdfast`;
  }, [title, needs]);
  const acts = (id === null ? overview : run).data?.acts === true;
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
        <span class={`line small toned ${connection === 'lost' ? 'tone-bad' : ''}`} role="status">
          <span class="live-dot" />
          {SIGNS[connection]}
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        {connection === 'lost' && (
          <div class="notice tone-wait" role="alert">
            <span>
              The server behind this page does not answer. What you see may be out of date. If you
              stopped it, start it again with <code>holdfast ui</code>.
            </span>
          </div>
        )}
        {id === null ? (
          <Shown loaded={overview} of="overview">
            {(data) => <OverviewView overview={data} />}
          </Shown>
        ) : (
          <Shown loaded={run} of={id}>
            {(data) => <RunView page={data} tab={tab} version={version} />}
          </Shown>
        )}
      </main>
      <footer class="foot muted small">
        {acts ? 'You can act here; an agent cannot.' : 'Read-only.'} Everything on this page comes
        from this machine.
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

function Shown<T>(props: { loaded: Loaded<T>; of: string; children: (data: T) => JSX.Element }) {
  const { data, error } = props.loaded;
  if (data !== null) return props.children(data);
  return error === null ? (
    <p class="muted" role="status">
      Loading
    </p>
  ) : (
    <div class="nothing">
      <ViewTitle of={props.of}>{sentence(error.message)}</ViewTitle>
      <p>{sentence(error.hint)}.</p>
      <p>
        <a href={OVERVIEW_HREF}>All runs</a>
      </p>
    </div>
  );
}

function sentence(text: string): string {
  const trimmed = text.replace(/\.$/, '');
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}`;
}

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
