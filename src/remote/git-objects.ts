/** One object as `git cat-file --batch` prints it. */
export interface GitObject {
  oid: string;
  type: string;
  content: Buffer;
}

/** Null for a name that git does not find. */
export function parseBatch(output: Buffer): (GitObject | null)[] {
  const objects: (GitObject | null)[] = [];
  let at = 0;
  while (at < output.length) {
    const end = output.indexOf(10, at);
    const header = output.subarray(at, end).toString();
    at = end + 1;
    const found = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header);
    if (found === null) {
      objects.push(null);
      continue;
    }
    const [, oid = '', type = '', size = ''] = found;
    objects.push({ oid, type, content: output.subarray(at, at + Number(size)) });
    at += Number(size) + 1;
  }
  return objects;
}

/** A tree has for each entry its mode, a space, its name, a zero byte and the bytes of its id. */
export function entriesOf(
  tree: GitObject | null | undefined,
  idLength: number,
): { name: string; oid: string }[] {
  if (tree?.type !== 'tree') return [];
  const { content } = tree;
  const entries: { name: string; oid: string }[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(32, at);
    const zero = content.indexOf(0, space);
    const end = zero + 1 + idLength / 2;
    const name = content.subarray(space + 1, zero).toString();
    entries.push({ name, oid: content.subarray(zero + 1, end).toString('hex') });
    at = end;
  }
  return entries;
}

export function commitData(commit: GitObject | null | undefined): {
  at: string;
  parents: string[];
} {
  const text = commit?.type === 'commit' ? commit.content.toString() : '';
  const header = text.slice(0, text.indexOf('\n\n') + 1);
  const seconds = /^committer .* (\d+) [+-]\d{4}$/m.exec(header)?.[1];
  const parents = [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, id = '']) => id);
  return { at: new Date(Number(seconds ?? 0) * 1000).toISOString(), parents };
}
