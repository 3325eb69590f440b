import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import type { StationBoard } from '../../../pipeline/model/realtime.ts';
import { buildBoardTables, type SourceBoard } from '../../../pipeline/realtime/state/build-tables.ts';
import { collectTexts } from '../../../pipeline/realtime/state/build-trips.ts';

const NOW = 1_772_500_000;

/** A board as `<source>@<seconds ago>`, with one departure per line, each with a delay in minutes or none. */
function boardOf(station: string, index: number, secondsAgo: number, over: Partial<StationBoard> = {}): SourceBoard {
  return {
    source: { index, maxAgeSeconds: 300 },
    fetchedAt: NOW - secondsAgo,
    board: { station, publishedAt: null, isFrozen: false, departures: [], ...over },
  };
}

function departureOf(line: string, towards: string, minutes: number, delayMinutes: number | null = null) {
  const plannedAt = NOW + minutes * 60;
  const realAt = delayMinutes === null ? null : plannedAt + delayMinutes * 60;
  return { line, towards, plannedAt: plannedAt as never, realAt: realAt as never };
}

/** `60200001 of 0, 20 s ago: U1 Leopoldau 3+1, U1 Oberlaa 4`: minutes from now, with the delay if known. */
function describeBoards(witnesses: readonly SourceBoard[]): string[] {
  const texts = collectTexts();
  const { stationBoards: boards, stationDepartures: departures } = buildBoardTables(witnesses, texts);
  const column = texts.column();
  return Array.from(boards.station, (station, row) => {
    const first = boards.firstDeparture[row]!;
    const shown = Array.from({ length: boards.departureCount[row]! }, (_, i) => {
      const [planned, real] = [departures.plannedAt[first + i]!, departures.realAt[first + i]!];
      const delay = real === 0 ? '' : `+${(real - planned) / 60}`;
      const [line, towards] = [departures.line, departures.towards].map((rows) => column.get(rows[first + i]!));
      return `${line} ${towards} ${(planned - NOW) / 60}${delay}`;
    });
    const state = boards.isFrozen[row] === 1 ? ', frozen' : '';
    const age = `${NOW - boards.fetchedAt[row]!} s ago`;
    return `${station} of ${boards.source[row]}, ${age}${state}: ${shown.join(', ')}`;
  });
}

const leopoldau = departureOf('U1', 'Leopoldau', 3, 1);
const oberlaa = departureOf('U1', 'Oberlaa', 4);

test.each<[reason: string, boards: readonly SourceBoard[], expected: readonly string[]]>([
  ['none', [], []],
  [
    'departures in the order of their publisher',
    [boardOf('60200001', 0, 20, { departures: [oberlaa, leopoldau] })],
    ['60200001 of 0, 20 s ago: U1 Oberlaa 4, U1 Leopoldau 3+1'],
  ],
  [
    'by number, not as text',
    [
      boardOf('100', 0, 1),
      boardOf('99', 0, 2, { departures: [leopoldau] }),
      boardOf('9', 0, 3, { departures: [oberlaa] }),
    ],
    ['9 of 0, 3 s ago: U1 Oberlaa 4', '99 of 0, 2 s ago: U1 Leopoldau 3+1', '100 of 0, 1 s ago: '],
  ],
  [
    'the fresher of two sources',
    [boardOf('7', 0, 20, { departures: [oberlaa] }), boardOf('7', 1, 10, { departures: [leopoldau] })],
    ['7 of 1, 10 s ago: U1 Leopoldau 3+1'],
  ],
  [
    'the source named first if both are as fresh',
    [boardOf('7', 1, 10, { departures: [leopoldau] }), boardOf('7', 0, 10, { departures: [oberlaa] })],
    ['7 of 0, 10 s ago: U1 Oberlaa 4'],
  ],
  [
    'one station with two spellings of its number',
    [boardOf('007', 0, 20), boardOf('7', 1, 10)],
    ['7 of 1, 10 s ago: '],
  ],
  [
    'a frozen board is marked',
    [boardOf('7', 0, 20, { isFrozen: true, departures: [oberlaa] })],
    ['7 of 0, 20 s ago, frozen: U1 Oberlaa 4'],
  ],
  [
    'a frozen board loses to one that is not, though it is fresher',
    [boardOf('7', 0, 1, { isFrozen: true }), boardOf('7', 1, 30, { departures: [leopoldau] })],
    ['7 of 1, 30 s ago: U1 Leopoldau 3+1'],
  ],
  [
    'ignores stations without a number',
    ['', 'at:49:1', '-1', '1.5', '1e3', '4294967296', ' 5'].map((station) => boardOf(station, 0, 1)),
    [],
  ],
])('%s', (_reason, boards, expected) => {
  expect(describeBoards(boards)).toEqual(expected);
});

it('does not depend on the order of sources, and does not modify its input', () => {
  const witness = fc
    .record({
      station: fc.constantFrom('1', '2', '10', '010', 'x'),
      source: fc.nat(3),
      secondsAgo: fc.nat(3),
      isFrozen: fc.boolean(),
    })
    .map(({ station, source, secondsAgo, isFrozen }) =>
      boardOf(station, source, secondsAgo, { isFrozen, departures: [departureOf('U1', `${station} ${source}`, 1)] }),
    );
  const many = fc.uniqueArray(witness, { selector: ({ source, board }) => `${source.index} ${Number(board.station)}` });
  fc.assert(
    fc.property(
      many.chain((boards) => fc.tuple(fc.constant(boards), fc.shuffledSubarray(boards, { minLength: boards.length }))),
      ([boards, shuffled]) => {
        const given = [...shuffled];
        expect(describeBoards(shuffled)).toEqual(describeBoards(boards));
        expect(shuffled).toEqual(given);
      },
    ),
    { numRuns: 300, seed: 20_260_308 },
  );
});
