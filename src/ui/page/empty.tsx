import type { JSX } from 'preact';
import type { Overview } from '../model/types/overview.ts';
import { Command, DetectedList } from './parts.tsx';

/** How to begin, for a project without runs. */
export function EmptyView({ overview }: { overview: Overview }): JSX.Element {
  const { hooks, detected } = overview;
  return (
    <div class="begin">
      <h2>No runs here yet</h2>
      <p class="lead">
        A run keeps the phase, the required reading and the rules of long work, and gives them back
        to Claude Code after a compaction.
      </p>
      <ol class="begin-steps">
        <li class={hooks.length > 0 ? 'begin-done' : ''}>
          <h3>Install the hooks</h3>
          {hooks.length > 0 ? (
            <p class="muted">Done: they are registered in {hooks.join(', ')}.</p>
          ) : (
            <>
              <p>They restore a run after every compaction.</p>
              <Command command="holdfast init" />
            </>
          )}
        </li>
        <li>
          <h3>Start a run</h3>
          <p>Name its phases, or let a template drive it.</p>
          <Command command='holdfast start "User Auth" --phases "Design,Build,Review"' />
          <Command command='holdfast start --template feature "log in with a magic link"' />
        </li>
        <li>
          <h3>Watch it here</h3>
          <p>This page shows the run as soon as it exists.</p>
        </li>
      </ol>
      {detected.length > 0 && (
        <div class="begin-detected">
          <h3>Found in your files</h3>
          <DetectedList detected={detected} />
          <p class="muted">They get a state file at the next compaction.</p>
        </div>
      )}
    </div>
  );
}
