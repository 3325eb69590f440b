import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Arrival, ArrivalBoard, Board, Departure } from '../../../api/contract/definitions.ts';
import { type EncodedBoard, encodeRow, writeBoard } from '../../../api/engine/boards/write-board.ts';

// Every board that another test queries is compared as well, in `board-world.ts`.

const text = fc.string({
  unit: fc.constantFrom('a', 'ü', '"', '\\', '\n', '\u0000', '\u007f', '\u2028', '\ud83d', '\ude8b', '😀'),
});
const token = fc.stringMatching(/^[\w-]{1,40}$/);
const timestamp = fc.constantFrom('2026-03-11T07:30:00+01:00', '2026-03-29T03:00:00+02:00');
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
/** Without the members that are undefined, as the presenter leaves them out. */
const withoutUndefined = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));

const time = fc
  .record({
    scheduled: maybe(timestamp),
    realtime: maybe(timestamp),
    isRealtime: fc.boolean(),
    prognosis: maybe(fc.constantFrom('forecast', 'carried')),
  })
  .map(withoutUndefined);
const platform = fc
  .record({ text: maybe(text), scheduledText: maybe(text), changed: fc.boolean() })
  .map(withoutUndefined);
const line = fc.record({ label: text, name: text, product: fc.constantFrom('bus', 'tram'), operatorName: maybe(text) });
const notice = fc.record({ id: text, text });
const trailing = {
  platform,
  cancelled: fc.boolean(),
  serviceKind: maybe(fc.constantFrom('additional', 'special')),
  notices: fc.array(notice, { maxLength: 2 }),
  attributes: fc.array(text, { maxLength: 2 }),
};
const leading = { id: token, journeyRef: maybe(token), line };
const departure = fc.record({ ...leading, direction: text, stopName: text, departure: time, ...trailing });
const arrival = fc.record({ ...leading, origin: text, stopName: text, arrival: time, ...trailing });
const head = { stop: fc.record({ id: text, name: text }), generatedAt: maybe(timestamp) };
const board = fc.oneof(
  fc.record({
    ...head,
    departures: fc.array(departure.map(withoutUndefined) as fc.Arbitrary<unknown> as fc.Arbitrary<Departure>),
    nextPageToken: maybe(token),
  }),
  fc.record({
    ...head,
    arrivals: fc.array(arrival.map(withoutUndefined) as fc.Arbitrary<unknown> as fc.Arbitrary<Arrival>),
  }),
);

function write(board: Board | ArrivalBoard): string {
  if (!('departures' in board)) return encode({ ...board, kind: 'arrivals' }, board.arrivals);
  return encode({ ...board, kind: 'departures' }, board.departures);
}

function encode(board: Omit<EncodedBoard, 'rows'>, rows: readonly (Departure | Arrival)[]): string {
  return writeBoard({ ...board, rows: rows.map(encodeRow) }).toString();
}

test('writes what JSON.stringify writes, for any texts', () => {
  fc.assert(
    fc.property(board, (any) => {
      const made = any as unknown as Board | ArrivalBoard;
      expect(write(made)).toBe(JSON.stringify(made));
      // The second time, stops and lines come from memory.
      expect(write(made)).toBe(JSON.stringify(made));
    }),
  );
});
