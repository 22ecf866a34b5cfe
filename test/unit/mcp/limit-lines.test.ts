import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { limitLines } from '../../../src/mcp/limit-lines.ts';
import type { RequestId } from '../../../src/mcp/request-id.ts';

/** What passes a limit of 100 bytes, and the ids of what does not, if the text arrives in chunks of `size` bytes. */
async function passed(text: string, size: number): Promise<{ lines: string; ids: RequestId[] }> {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  const ids: RequestId[] = [];
  const lines = Readable.from(chunks).pipe(limitLines(100, (id) => void ids.push(id)));
  const parts: Buffer[] = [];
  for await (const part of lines) parts.push(part);
  return { lines: Buffer.concat(parts).toString(), ids };
}

const long = (fields: string): string =>
  `{"jsonrpc":"2.0","params":{"id":99,"text":"${'ü\\"{'.repeat(50)}"}${fields}}\n`;

test.each([1, 7, 64, 10_000])(
  'only lines that are too long are dropped (chunks of %i)',
  async (size) => {
    const text = `{"id":1}\n${long(',"id":2')}{"id":3}\r\n\n${long(' , "id" : "a\\"b" ')}{"id":4}\n`;
    expect(await passed(text, size)).toEqual({
      lines: '{"id":1}\n{"id":3}\r\n\n{"id":4}\n',
      ids: [2, 'a"b'],
    });
  },
);

test('the id counts wherever it stands at the top level, and only there', async () => {
  expect((await passed(`{"id":7,${long('').slice(1)}`, 16)).ids).toEqual([7]);
  expect((await passed(long(''), 16)).ids).toEqual([null]);
  expect((await passed(`${'x'.repeat(200)}\n`, 16)).ids).toEqual([null]);
  expect((await passed(`{"id":"${'x'.repeat(500)}"}\n`, 16)).ids).toEqual([null]);
  expect((await passed(`[{"id":1,"a":"${'x'.repeat(500)}"}]\n`, 16)).ids).toEqual([null]);
});
