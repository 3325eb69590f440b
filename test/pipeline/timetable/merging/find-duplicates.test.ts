import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { products } from '../../../../pipeline/model/product.ts';
import { findDuplicates, type TripSchedule } from '../../../../pipeline/timetable/merging/find-duplicates.ts';
import { compareTripNames, nameTrip, type TripLabel } from '../../../../pipeline/timetable/merging/name-trips.ts';

interface Call {
  readonly station: number;
  readonly arrival: number;
  readonly departure: number;
}

interface Trip {
  readonly name: TripLabel;
  readonly calls: readonly Call[];
  readonly facts?: number;
  readonly source?: number;
}

function toSchedule(trips: readonly Trip[]): TripSchedule {
  const calls = trips.flatMap((trip) => trip.calls);
  const firstCall = new Int32Array(trips.length + 1);
  for (const [i, trip] of trips.entries()) firstCall[i + 1] = firstCall[i]! + trip.calls.length;
  return {
    name: Int32Array.from(trips.keys()),
    names: trips.map(({ name }) => name),
    source: Uint16Array.from(trips, ({ source = 0 }) => source),
    firstCall,
    station: Int32Array.from(calls, ({ station }) => station),
    arrival: Int32Array.from(calls, ({ arrival }) => arrival),
    departure: Int32Array.from(calls, ({ departure }) => departure),
    isExcluded: new Uint8Array(trips.length),
    facts: Uint8Array.from(trips, ({ facts = 0 }) => facts),
  };
}

const RULES = { byName: true, merged: [], separate: [] };
const always = () => true;

/** `1 2 number`: the shown trip, the other, the rule; `1-1` for a shown trip of the previous day. */
const find = (trips: readonly Trip[], rules = {}) =>
  findDuplicates(toSchedule(trips), { ...RULES, ...rules }, always).map(({ shown, other, dayOffset, rule }) => {
    const days = dayOffset === 0 ? '' : dayOffset < 0 ? dayOffset : `+${dayOffset}`;
    return `${shown}${days} ${other} ${rule}`;
  });

const rail = (label: string, shortName: string | null) => nameTrip(products.indexOf('train'), label, shortName);
const bus = (label: string, shortName: string | null = null) => nameTrip(products.indexOf('cityBus'), label, shortName);
/** Stations with the minutes of arrival and departure, `1@5` or `1@5-6`. */
const callsOf = (text: string): Call[] =>
  text.split(' ').map((call) => {
    const [, station, arrival, departure] = /^(\d+)@([\d.]+)(?:-([\d.]+))?$/.exec(call)!;
    return { station: Number(station), arrival: Number(arrival) * 60, departure: Number(departure ?? arrival) * 60 };
  });

describe('names of trips', () => {
  it.each<[TripLabel, TripLabel, 'number' | 'line' | null]>([
    [rail('RJX', 'RJX 162'), rail('Fernverkehr', '162'), 'number'],
    [rail('RJX', 'RJX 162'), rail('RJX 162', null), 'number'],
    [rail('RJX', 'RJX 162'), rail('RJX', 'RJX 164'), null],
    [rail('S1', null), rail('S 1', '29012'), 'line'],
    [rail('S1', null), rail('S2', null), null],
    [bus('13A'), bus('Bus 13A'), 'line'],
    [bus('13A'), nameTrip(products.indexOf('regionalBus'), '13A', null), 'line'],
    [bus('1'), nameTrip(products.indexOf('tram'), '1', null), null],
    [bus('1', '17'), bus('1', '18'), null],
    [bus('1', '17'), bus('2', '17'), null],
    [bus(''), bus(''), null],
  ])('%o and %o: %s', (one, other, expected) => {
    expect(compareTripNames(one, other)).toBe(expected);
    expect(compareTripNames(other, one)).toBe(expected);
  });
});

describe('a trip that is published twice is merged', () => {
  it.each<{
    title: string;
    trips: readonly [string, string];
    names?: readonly [TripLabel, TripLabel];
    expected: string[];
  }>([
    { title: 'with the same calls', trips: ['1@0 2@5 3@9', '1@0 2@5 3@9'], expected: ['0 1 line'] },
    { title: 'with differences of up to a minute', trips: ['1@0 2@5 3@9', '1@1 2@4.5 3@10'], expected: ['0 1 line'] },
    { title: 'not with a difference of two minutes at one call', trips: ['1@0 2@5 3@9', '1@0 2@7 3@9'], expected: [] },
    { title: 'with one that omits calls', trips: ['2@5 3@9', '1@0 2@5 3@9 4@12'], expected: ['1 0 line'] },
    { title: 'not with one call in common', trips: ['1@0 2@5', '2@5 3@9'], expected: [] },
    { title: 'not if each has a ride that the other lacks', trips: ['1@0 2@5 3@9', '2@5 3@9 4@12'], expected: [] },
    { title: 'not in the other direction', trips: ['1@0 2@5', '2@0 1@5'], expected: [] },
    {
      title: 'with one time for the stop of the other',
      trips: ['1@0 2@5-8 3@12', '1@0 2@8 3@12'],
      expected: ['0 1 line'],
    },
    { title: 'not with another dwell time', trips: ['1@0 2@5-8 3@12', '1@0 2@7-8 3@12'], expected: [] },
    { title: 'in a loop', trips: ['1@0 2@5 1@9 2@14', '1@0 2@5 1@9 2@14'], expected: ['0 1 line'] },
    { title: 'in the second round', trips: ['1@0 2@5 1@9 2@14', '1@9 2@14'], expected: ['0 1 line'] },
    { title: 'under the next service date', trips: ['1@1510 2@1515', '1@70 2@75'], expected: ['0-1 1 line'] },
    {
      title: 'under the previous service date, with more calls',
      trips: ['2@75.5 3@80', '1@1510 2@1515 3@1520'],
      expected: ['1-1 0 line'],
    },
    { title: 'across midnight', trips: ['1@1435 2@1445 3@1450', '2@5 3@10'], expected: ['0-1 1 line'] },
    { title: 'not at the same time of the next day', trips: ['1@70 2@75', '1@72 2@77'], expected: [] },
    { title: 'not two days later', trips: ['1@2950 2@2955', '1@70 2@75'], expected: [] },
    {
      title: 'with a number under the next service date',
      trips: ['1@1430 2@1510 3@1520', '2@70 3@80'],
      names: [rail('RJ', '1'), rail('Fernverkehr', '1')],
      expected: ['0-1 1 number'],
    },
    {
      title: 'not with another number',
      trips: ['1@0 2@5', '1@0 2@5'],
      names: [rail('RJ', '1'), rail('RJ', '2')],
      expected: [],
    },
    {
      title: 'with the same number of another line',
      trips: ['1@0 2@5', '1@0 2@5'],
      names: [rail('RJ', '1'), rail('Fernverkehr', '1')],
      expected: ['0 1 number'],
    },
  ])('$title', ({ trips, names = [bus('1'), bus('1')], expected }) => {
    expect(find(trips.map((calls, i) => ({ name: names[i]!, calls: callsOf(calls), source: i })))).toEqual(expected);
  });

  it('not for another path in one feed', () => {
    const trips = ['1@0 2@5 4@9', '1@0 3@7 4@9'].map((calls) => ({ name: bus('1'), calls: callsOf(calls) }));
    expect(find(trips)).toEqual([]);
  });

  it('and the one with more details is shown', () => {
    const calls = callsOf('1@0 2@5');
    expect(
      find([
        { name: bus('1'), calls },
        { name: bus('1'), calls, facts: 2 },
      ]),
    ).toEqual(['1 0 line']);
  });

  it('unless the operator decides otherwise', () => {
    const trips = [bus('1'), bus('1'), bus('2')].map((name) => ({ name, calls: callsOf('1@0 2@5') }));
    expect(find(trips, { merged: [[0, 2]], separate: [[0, 1]] })).toEqual(['0 2 table']);
    expect(find(trips, { byName: false })).toEqual([]);
  });
});

describe('findDuplicates', () => {
  const isNear = (a: number, b: number) => Math.abs(a - b) <= 60;
  /** Calls of a trip are two minutes apart, so that each matches at most one of the other. */
  function isOne(richer: Trip, dated: Trip, dayOffset: number): boolean {
    const shift = -dayOffset * 86_400;
    const other = {
      ...dated,
      calls: dated.calls.map(({ station, arrival, departure }) => {
        return { station, arrival: arrival + shift, departure: departure + shift };
      }),
    };
    const rule = compareTripNames(richer.name, other.name);
    const isOfTwo = richer.source !== other.source;
    const fits = (a: number, b: number) => {
      const [one, two] = [richer.calls[a]!, other.calls[b]!];
      const isFirst = a === 0 || b === 0;
      const isLast = a === richer.calls.length - 1 || b === other.calls.length - 1;
      const isOneTime = !isLast && (one.arrival === one.departure || two.arrival === two.departure);
      return (
        one.station === two.station &&
        !(isFirst && isLast) &&
        (isLast || isNear(one.departure, two.departure)) &&
        (isFirst || isOneTime || isNear(one.arrival, two.arrival))
      );
    };
    const partner = other.calls.map((_, b) => richer.calls.findIndex((_call, a) => fits(a, b)));
    const left = richer.calls.filter((_, a) => !partner.includes(a)).map(({ station }) => station);
    const common = partner.filter((a) => a >= 0).length;
    if (rule === null || common < 2) return false;
    if (other.calls.some(({ station }, b) => partner[b]! < 0 && left.includes(station))) return false;
    const hasEnds = partner[0]! >= 0 && partner.at(-1)! >= 0;
    return common === other.calls.length || rule === 'number' || (isOfTwo && hasEnds);
  }

  const names = [rail('RJ', '1'), rail('RJ', null), rail('Zug', '1'), rail('RJ', '2'), bus('1')];
  const call = fc.record({
    station: fc.integer({ min: 0, max: 3 }),
    ride: fc.integer({ min: 3, max: 5 }),
    stay: fc.constantFrom(0, 0, 90),
  });
  const trip = fc
    .record({
      source: fc.integer({ min: 0, max: 1 }),
      name: fc.constantFrom(...names),
      start: fc.constantFrom(0, 30, 60, 120, 86_400, 86_430),
      calls: fc.array(call, { minLength: 2, maxLength: 5 }),
    })
    .map(({ source, name, start, calls }) => {
      let time = start;
      return {
        source,
        name,
        calls: calls.map(({ station, ride, stay }) => {
          const arrival = time + ride * 60;
          time = arrival + stay;
          return { station, arrival, departure: time };
        }),
      };
    });

  it('finds the same pairs as a comparison of all pairs', () => {
    fc.assert(
      fc.property(fc.array(trip, { maxLength: 14 }), (trips) => {
        const expected: string[] = [];
        for (const [a, one] of trips.entries()) {
          for (const [b, other] of trips.entries()) {
            const isRicher =
              one.calls.length > other.calls.length || (one.calls.length === other.calls.length && a < b);
            if (a === b || !isRicher) continue;
            for (const dayOffset of [-1, 0, 1]) {
              const days = dayOffset === 0 ? '' : dayOffset < 0 ? dayOffset : `+${dayOffset}`;
              if (isOne(one, other, dayOffset)) expected.push(`${a}${days} ${b}`);
            }
          }
        }
        expect(
          find(trips)
            .map((line) => line.split(' ').slice(0, 2).join(' '))
            .sort(),
        ).toEqual(expected.sort());
      }),
      { numRuns: 2000 },
    );
  });
});
