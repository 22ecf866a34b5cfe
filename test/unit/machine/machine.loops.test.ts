import { expect, test } from 'vitest';
import { loopOf } from '../../../src/machine/position.ts';
import type {
  Step,
  SubStep,
} from '../../../src/machine/template-types.generated.ts';
import { action, aTemplate, loop, sub } from '../../support/templates.ts';

const [build, items] = [{ build: [sub('write')] }, { items: [sub('review')] }];
const both = { ...build, ...items };

test.each<
  [string, Record<string, SubStep[]>, Step, Step[], string | undefined]
>([
  [
    'the loop that it names',
    both,
    loop('build', { loop: 'items' }),
    [],
    'items',
  ],
  ['the loop of its own name', both, loop('build'), [loop('items')], 'build'],
  [
    'the only loop there is, as the only loop step',
    items,
    loop('work'),
    [action('a')],
    'items',
  ],
  [
    'none, beside another loop step',
    items,
    loop('work'),
    [loop('more')],
    undefined,
  ],
  ['none, where there are two', both, loop('work'), [], undefined],
  [
    'no part of every object',
    both,
    loop('constructor', { loop: 'toString' }),
    [],
    undefined,
  ],
  ['none as another kind of step', both, action('build'), [], undefined],
])('a loop step walks %s', (_what, loops, step, more, expected) => {
  expect(loopOf(aTemplate([step, ...more], { loops }), step)).toBe(expected);
});
