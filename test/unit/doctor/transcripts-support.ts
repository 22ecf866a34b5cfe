/** Records as the client writes them into its transcripts. */
export const OURS =
  'node -e try{require(process.argv.splice(1)[1])}catch{} holdfast-hook /home/dev/.claude/holdfast/dist/hook.cjs';
export const OTHER = 'node -e process.exit(0)';

const common = (at: string): object => ({
  isSidechain: false,
  timestamp: at,
  userType: 'external',
  entrypoint: 'cli',
  cwd: '/home/dev/shop',
  version: '2.1.325',
});

const NOON = '2025-06-01T12:00:00.000Z';

export function hookRecord(command: string, type: string, exitCode: number, at = NOON): string {
  const attachment = {
    type,
    hookName: 'SessionStart:compact',
    toolUseID: '281c8e64-f6ae-489d-b864-8b9b4dd58784',
    hookEvent: 'SessionStart',
    stdout: '',
    stderr: exitCode === 0 ? '' : `Failed with status code ${exitCode}`,
    exitCode,
    command,
    durationMs: 60,
  };
  return JSON.stringify({ ...common(at), attachment, type: 'attachment' });
}

export function boundary(at = NOON): string {
  const compactMetadata = { trigger: 'manual', preTokens: 1010 };
  return JSON.stringify({
    ...common(at),
    type: 'system',
    subtype: 'compact_boundary',
    content: 'Conversation compacted',
    compactMetadata,
  });
}

/** What the client prints after /compact, with these hooks. */
export function compacted(...commands: string[]): string {
  return compactedAt(NOON, ...commands);
}

export function compactedAt(at: string, ...commands: string[]): string {
  const listed = ['PreCompact', 'PostCompact'].flatMap((event) =>
    commands.map((command) => `${event} [${command}] completed successfully`),
  );
  const output = ['Compacted (ctrl+o to see full summary)', ...listed].join('\n');
  const content = `<local-command-stdout>${output}</local-command-stdout>`;
  return JSON.stringify({ ...common(at), type: 'user', message: { role: 'user', content } });
}
