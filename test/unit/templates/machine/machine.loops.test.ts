import { describe, expect, test } from 'vitest';
import { loopOf } from '../../../../src/templates/machine/loops.ts';
import { action, aTemplate, loop, sub } from '../../../support/templates.ts';

const loops = { build: [sub('write')], items: [sub('review')] };

describe('a loop step walks', () => {
  test('the loop that it names, before that of its own name', () => {
    const step = loop('build', { loop: 'items' });
    expect(loopOf(aTemplate([step], { loops }), step)).toBe('items');
  });

  test('the loop of its own name', () => {
    const step = loop('build');
    expect(loopOf(aTemplate([step, loop('items')], { loops }), step)).toBe('build');
  });

  test('the only loop there is, as the only loop step', () => {
    const step = loop('work');
    const only = { items: loops.items };
    expect(loopOf(aTemplate([action('a'), step], { loops: only }), step)).toBe('items');
    expect(loopOf(aTemplate([step, loop('more')], { loops: only }), step)).toBeUndefined();
    expect(loopOf(aTemplate([step], { loops }), step)).toBeUndefined();
  });

  test.each([
    ['that is not there', loop('work', { loop: 'gone' })],
    ['that is only a part of every object', loop('constructor', { loop: 'toString' })],
    ['without loops', loop('work')],
    ['as another kind of step', action('build')],
  ])('none: %s', (what, step) => {
    const template = aTemplate([step], what === 'without loops' ? {} : { loops });
    expect(loopOf(template, step)).toBeUndefined();
  });
});
