import { describe, expect, test } from 'vitest';
import { FORMATS, isPlanOf } from '../../../../../src/sources/parse/formats/all-formats.ts';
import { readFormat } from '../../../../../src/sources/parse/formats/read-format.ts';
import { DEFAULTS } from '../../../../../src/settings/settings.ts';
import { planFixtures, type PlanFixture } from '../../../../support/plan-fixtures.ts';

const fixtures = planFixtures();

test.each(fixtures.map((fixture) => [fixture.format, fixture.state, fixture] as const))(
  '%s: %s',
  (_format, _state, fixture) => {
    expect(readings(fixture)).toEqual(fixture.expected);
  },
);

describe.each(DEFAULTS.detect.formats)('%s', (format) => {
  test('no plan of another tool is one of its plans', () => {
    const others = fixtures.filter((fixture) => fixture.format !== format);
    const paths = others.flatMap(({ expected }) => Object.keys(expected));
    expect(paths.filter((path) => isPlanOf(FORMATS[format], path))).toEqual([]);
  });

  test('line endings do not matter', () => {
    for (const fixture of fixtures.filter((each) => each.format === format)) {
      const files = Object.fromEntries(
        Object.entries(fixture.files).map(([path, text]) => [path, text.replaceAll('\n', '\r\n')]),
      );
      expect(readings({ ...fixture, files })).toEqual(fixture.expected);
    }
  });
});

function readings({ format: id, files }: PlanFixture): PlanFixture['expected'] {
  const format = FORMATS[id];
  const plans = Object.entries(files).filter(([path]) => isPlanOf(format, path));
  return Object.fromEntries(
    plans.map(([path, text]) => {
      const companions = (format.companions?.(path) ?? []).flatMap((name) => {
        const content = files[name];
        return content === undefined ? [] : [[name, content] as const];
      });
      const exists = (name: string): boolean => files[name] !== undefined;
      const source = { path, text, companions: new Map(companions), exists };
      return [path, readFormat(format, source)];
    }),
  );
}
