import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Overview } from '../model/types/overview.ts';
import type { Refused } from '../model/types/refused.ts';
import type { RunPage } from '../model/types/run.ts';
import { useData, useLive, useNow, useRoute, type Connection, type Loaded } from './hooks.ts';
import { Logo } from './icons.tsx';
import { OverviewView } from './overview.tsx';
import { Command, ViewTitle } from './parts.tsx';
import { OVERVIEW_HREF } from './route.ts';
import { RunView } from './run.tsx';

export function App(): JSX.Element {
  const route = useRoute();
  const now = useNow();
  const shown = route.view === 'run' ? route.id : null;
  const { connection, version } = useLive(shown);
  const overview = useData<Overview>(route.view === 'overview' ? 'data/overview' : null, version);
  const run = useData<RunPage>(
    shown === null ? null : `data/run?id=${encodeURIComponent(shown)}`,
    version,
  );
  const title = route.view === 'run' ? run.data?.card.workflow : overview.data?.project.name;
  useEffect(() => {
    document.title = title === undefined ? 'holdfast' : `${title} · holdfast`;
  }, [title]);
  return (
    <>
      <a class="skip-link" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <header class="bar">
        <a class="brand" href={OVERVIEW_HREF}>
          <Logo />
          <span>holdfast</span>
        </a>
        <LiveSign connection={connection} />
      </header>
      <main id="main" tabIndex={-1}>
        {connection === 'lost' && <LostNotice />}
        {route.view === 'overview' ? (
          <Shown loaded={overview} of="overview">
            {(data) => <OverviewView overview={data} now={now} />}
          </Shown>
        ) : (
          <Shown loaded={run} of={route.id}>
            {(data) => <RunView page={data} tab={route.tab} now={now} version={version} />}
          </Shown>
        )}
      </main>
      <footer class="foot">Read-only. Everything on this page comes from this machine.</footer>
    </>
  );
}

/** The address must keep naming the view, so the link moves the focus itself. */
function focusMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

const SIGNS: Record<Connection, string> = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Not connected',
};

function LiveSign({ connection }: { connection: Connection }): JSX.Element {
  return (
    <span class={`live live-${connection}`} role="status">
      <span class="live-dot" />
      {SIGNS[connection]}
    </span>
  );
}

function LostNotice(): JSX.Element {
  return (
    <div class="notice notice-warning" role="alert">
      <span>
        The server behind this page does not answer. What you see may be out of date. If you stopped
        it, start it again with <code>holdfast ui</code>.
      </span>
    </div>
  );
}

function Shown<T>(props: {
  loaded: Loaded<T>;
  of: string;
  children: (data: T) => JSX.Element;
}): JSX.Element {
  const { loaded, of, children } = props;
  if (loaded.data !== null) return children(loaded.data);
  if (loaded.error !== null) return <Failure error={loaded.error} of={of} />;
  return (
    <p class="loading" role="status">
      Loading
    </p>
  );
}

function Failure({ error, of }: { error: Refused['error']; of: string }): JSX.Element {
  const isGone = error.code === 'unknown_run';
  return (
    <div class="empty">
      <ViewTitle of={of}>{isGone ? 'This run no longer exists' : 'Nothing to show'}</ViewTitle>
      <p>
        {isGone
          ? 'It was deleted, or completed without being archived.'
          : `${sentence(error.message)}. ${sentence(error.hint)}.`}
      </p>
      {isGone && <Command label="All runs, archived ones too" command="holdfast list --all" />}
      <p>
        <a href={OVERVIEW_HREF}>All runs of this project</a>
      </p>
    </div>
  );
}

function sentence(text: string): string {
  const trimmed = text.replace(/\.$/, '');
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}`;
}
