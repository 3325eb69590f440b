import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRecentMap } from '../../../pipeline/model/recent-map.ts';

const steps = fc.array(fc.record({ key: fc.nat(12), isSet: fc.boolean() }), { maxLength: 60 });

test('finds the last value of a key, or nothing, and always those of the last half of its limit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 10 }), steps, (limit, all) => {
      const map = createRecentMap<number, number>(limit);
      const values = new Map<number, number>();
      let recent: number[] = [];
      for (const [step, { key, isSet }] of all.entries()) {
        if (isSet) {
          map.set(key, step);
          values.set(key, step);
        }
        const found = map.get(key);
        expect([undefined, values.get(key)]).toContain(found);
        if (recent.includes(key) || isSet) expect(found).toBe(values.get(key));
        if (found !== undefined) recent = [key, ...recent.filter((other) => other !== key)];
        recent = recent.slice(0, Math.floor(limit / 2));
      }
    }),
  );
});

test('keeps no more keys than its limit', () => {
  const map = createRecentMap<number, string>(10);
  for (let key = 0; key < 1000; key++) map.set(key, 'value');
  const kept = Array.from({ length: 1000 }, (_, key) => map.get(key)).filter((value) => value !== undefined);
  expect(kept.length).toBeLessThanOrEqual(10);
});
