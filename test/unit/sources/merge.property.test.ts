import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeDeclared } from '../../../src/sources/merge-declared.ts';
import { anyPhaseSaid, anySaid, anyState } from '../../support/arbitraries.ts';

const anyBase = () => fc.option(anySaid(), { nil: undefined });

test('the same words once more change nothing', () => {
  fc.assert(
    fc.property(anyState(), anySaid(), anyBase(), (state, said, base) => {
      const once = mergeDeclared(state, said, base);
      expect(JSON.stringify(mergeDeclared(once, said, said))).toBe(
        JSON.stringify(once),
      );
    }),
  );
});

test('without a base nothing known is lost: every entry of both sides is there', () => {
  fc.assert(
    fc.property(anyState(), anySaid(), (state, said) => {
      const merged = mergeDeclared(state, said, undefined);
      const reading = [...state.required_reading, ...said.required_reading];
      const reminders = [...(state.key_reminders ?? []), ...said.key_reminders];
      const facts = [
        ...Object.keys(state.context ?? {}),
        ...Object.keys(said.context),
      ];
      expect(new Set(merged.required_reading)).toEqual(new Set(reading));
      expect(new Set(merged.key_reminders)).toEqual(new Set(reminders));
      expect(new Set(Object.keys(merged.context ?? {}))).toEqual(
        new Set(facts),
      );
    }),
  );
});

test('unknown keys survive, and created_at never changes', () => {
  fc.assert(
    fc.property(anyState(), anySaid(), anyBase(), (state, said, base) => {
      const merged = mergeDeclared(state, said, base);
      expect(merged['mine']).toEqual(state['mine']);
      expect(merged['owner_notes']).toEqual(state['owner_notes']);
      expect(merged.phase['estimate']).toEqual(state.phase['estimate']);
      expect(merged.created_at).toBe(state.created_at);
      expect(Object.keys(merged)).toEqual(
        expect.arrayContaining(Object.keys(state)),
      );
    }),
  );
});

test('a source that says the same phase never moves it, whatever else was edited', () => {
  fc.assert(
    fc.property(anyState(), anySaid(), anySaid(), (state, said, base) => {
      const { phase: _phase, ...rest } = base;
      const before =
        said.phase === undefined ? rest : { ...rest, phase: said.phase };
      const { phase } = mergeDeclared(state, said, before);
      if (said.phases?.includes(state.phase.name))
        expect(phase.name).toBe(state.phase.name);
      else expect(phase.current).toBe(state.phase.current);
      expect(phase.status).toBe(state.phase.status);

      const { phases: _phases, ...others } = before;
      const sameList =
        said.phases === undefined ? others : { ...others, phases: said.phases };
      expect(mergeDeclared(state, said, sameList).phase).toEqual(state.phase);
    }),
  );
});

test('edits beside the number never move the number, nor name or block another phase', () => {
  fc.assert(
    fc.property(
      anyState(),
      anySaid(),
      anyPhaseSaid(),
      anyPhaseSaid(),
      fc.integer({ min: 1, max: 8 }),
      (state, said, now, before, current) => {
        const merged = mergeDeclared(
          state,
          { ...said, phase: { ...now, current } },
          { ...said, phase: { ...before, current } },
        ).phase;
        expect(merged.current).toBe(state.phase.current);
        const elsewhere = current !== state.phase.current;
        const { name, status } = elsewhere ? merged : state.phase;
        expect({ name, status }).toEqual({
          name: state.phase.name,
          status: state.phase.status,
        });
      },
    ),
  );
});

test('without a base the further phase wins, and no phase lies past the total', () => {
  fc.assert(
    fc.property(anyState(), anySaid(), (state, said) => {
      const { current, total } = mergeDeclared(state, said, undefined).phase;
      expect(current).toBe(
        Math.max(state.phase.current, said.phase?.current ?? 0),
      );
      expect(total).toBeGreaterThanOrEqual(current);
    }),
  );
});

test('no merge puts a phase past the total', () => {
  fc.assert(
    fc.property(anyState(), anySaid(), anySaid(), (state, said, base) => {
      const { current, total } = mergeDeclared(state, said, base).phase;
      expect(total).toBeGreaterThanOrEqual(current);
      expect(current).toBeGreaterThanOrEqual(1);
    }),
  );
});

test('of a list, the source adds and drops what it changed, the person the rest', () => {
  fc.assert(
    fc.property(anyState(), anySaid(), anySaid(), (state, said, base) => {
      const now = new Set(said.required_reading);
      const before = new Set(base.required_reading);
      const ours = new Set(state.required_reading);
      const everything = new Set([...now, ...before, ...ours]);
      const expected = [...everything].filter((entry) =>
        now.has(entry) === before.has(entry) ? ours.has(entry) : now.has(entry),
      );
      const merged = mergeDeclared(state, said, base).required_reading;
      expect(merged.toSorted()).toEqual(expected.toSorted());
    }),
  );
});

test('a fact named like a part of every object is a fact like any other', () => {
  fc.assert(
    fc.property(anyState(), anySaid(), anyBase(), (state, said, base) => {
      const context = mergeDeclared(state, said, base).context ?? {};
      expect(Object.getPrototypeOf(context)).toBe(Object.prototype);
      expect(Object.getPrototypeOf({})).toBe(Object.prototype);
      const gained = Object.keys(said.context).filter(
        (key) =>
          base !== undefined &&
          (!Object.hasOwn(base.context, key) ||
            JSON.stringify(base.context[key]) !==
              JSON.stringify(said.context[key])),
      );
      for (const key of gained) expect(context[key]).toEqual(said.context[key]);
    }),
  );
});
