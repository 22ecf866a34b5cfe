import { compactionWindow, fillPercent } from '../../text/context-fill.ts';
import { isObject } from '../../text/json.ts';

/** What the client tells a status line, as far as it is used here. */
export interface HostInput {
  session: string;
  /** Where the session works now, and where the client was launched. */
  folders: string[];
  /** Percent of the automatic-compaction threshold; null while the client does not know it. */
  fill: number | null;
}

/** Null for input that names no session: fields come and go between versions, but a run belongs to a session. */
export function parseHostInput(
  text: string,
  environment: Record<string, string | undefined>,
): HostInput | null {
  const json: unknown = JSON.parse(text);
  if (!isObject(json) || typeof json['session_id'] !== 'string') return null;
  const { session_id: session, cwd, workspace, context_window: context } = json;
  const { current_dir, project_dir } = isObject(workspace) ? workspace : {};
  const folders = [current_dir, cwd, project_dir].filter(
    (folder): folder is string => typeof folder === 'string' && folder !== '',
  );
  return session === '' ? null : { session, folders, fill: fillIn(context, environment) };
}

/** At the start and after `/clear` the usage is null, after a compaction it is 0 until the next reply. */
function fillIn(context: unknown, environment: Record<string, string | undefined>): number | null {
  if (!isObject(context)) return null;
  const { current_usage: usage, context_window_size: size } = context;
  if (!isObject(usage) || typeof size !== 'number') return null;
  const tokens = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens']
    .map((key) => usage[key])
    .reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
  return tokens > 0 ? fillPercent(tokens, compactionWindow(size, environment)) : null;
}
