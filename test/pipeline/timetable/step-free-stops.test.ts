import { expect, it } from 'vitest';
import { buildStepFreeStops } from '../../../pipeline/timetable/snapshot/step-free-stops.ts';

// Stops by letter: platforms P, Q, R; entrances E, F; nodes n, m.
const STOPS = ['P', 'Q', 'R', 'E', 'F', 'n', 'm'];
const locationType = Uint8Array.from(STOPS, (name) => (/[EF]/.test(name) ? 2 : /[nm]/.test(name) ? 3 : 0));
const MODES = { '-': 1, '=': 5 } as const;

/** `P=E` is a lift, `P>E` one direction of it, `P-E` a ramp. */
function build(ways: string): string {
  const rows = ways.split(' ').map(([from, way, to]) => ({
    from: STOPS.indexOf(from!),
    to: STOPS.indexOf(to!),
    mode: way === '-' ? MODES['-'] : MODES['='],
    isBidirectional: way === '>' ? 0 : 1,
  }));
  const { stepFreeStops: found } = buildStepFreeStops(
    {
      from: Int32Array.from(rows, ({ from }) => from),
      to: Int32Array.from(rows, ({ to }) => to),
      mode: Uint8Array.from(rows, ({ mode }) => mode),
      isBidirectional: Uint8Array.from(rows, ({ isBidirectional }) => isBidirectional),
    },
    locationType,
  );
  return Array.from(found.stop, (stop, row) => `${STOPS[stop]}${found.lifts[row]}${STOPS[found.group[row]!]}`).join(
    ' ',
  );
}

/** Platform, number of lifts that must fail, and the first stop of its level. */
it.each([
  ['one lift', 'P=E', 'P1P'],
  ['two lifts side by side', 'P=E P=E', 'P2P'],
  ['two lifts to two entrances', 'P=E P=F', 'P2P'],
  ['two lifts one after the other', 'P=n n=E', 'P1P'],
  ['two lifts to a hall with one', 'P=n P=n n=E', 'P1P'],
  ['three ways that share lifts', 'P=n P=m n=m n=E m=F', 'P2P'],
  ['a ramp', 'P-E', 'P255P'],
  ['a ramp and a lift', 'P-E P=E', 'P255P'],
  ['a ramp to a hall with a lift', 'P-n n=E', 'P1P'],
  ['two platforms of one level', 'P-Q P=E', 'P1P Q1P'],
  ['two platforms of two levels, each with a lift to the other', 'P=Q P=E Q=F', 'P2P Q2Q'],
  ['a lift written once for each direction', 'P>E E>P', 'P1P'],
  ['two lifts written once for each direction', 'P>E P>E E>P E>P', 'P2P'],
  ['no way to an entrance', 'P=Q P-n', ''],
  ['platforms of other stations', 'P=E R-F', 'P1P R255R'],
])('%s', (_what, ways, expected) => {
  expect(build(ways)).toBe(expected);
});
