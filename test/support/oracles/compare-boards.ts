import fc from 'fast-check';
import { expect } from 'vitest';
import type { Arrival, Departure } from '../../../api/contract/definitions.ts';
import { queryArrivals, queryDepartures, type World } from '../worlds/board-world.ts';
import type { NaiveCall, NaiveTimetable } from './naive-timetable.ts';

interface BoardQuestions {
  /** Number of boards of each kind. */
  readonly count: number;
  /** Instants are drawn between these two, RFC 3339. */
  readonly from: string;
  readonly to: string;
  /** Stops to query; all if absent. */
  readonly stopIds?: readonly string[];
}

/**
 * Queries the service and the oracle for boards of random stops, instants and durations, and fails on the first
 * difference.
 * @param world of one source, `at`
 * @returns number of compared calls, so that a test can assert that there were any
 */
export async function compareBoards(
  world: World,
  naive: Pick<NaiveTimetable, 'stopIds' | 'listCalls'>,
  { count, from, to, stopIds = naive.stopIds }: BoardQuestions,
): Promise<number> {
  const tripNames = nameTrips(world);
  let compared = 0;
  const question = fc.record({
    kind: fc.constantFrom('departures' as const, 'arrivals' as const),
    stopId: fc.constantFrom(...stopIds),
    instant: fc.integer({ min: Date.parse(from) / 1000, max: Date.parse(to) / 1000 }),
    durationMinutes: fc.oneof(fc.constantFrom(60, 1440), fc.integer({ min: 1, max: 1440 })),
  });
  await fc.assert(
    fc.asyncProperty(question, async ({ kind, stopId, instant, durationMinutes }) => {
      const expected = naive.listCalls(kind, stopId, instant, instant + durationMinutes * 60);
      const requested = {
        time: new Date(instant * 1000).toISOString(),
        durationMinutes,
        limit: Number.POSITIVE_INFINITY,
      };
      const rows =
        kind === 'departures'
          ? (await queryDepartures(world, `at:${stopId}`, requested)).departures.map(readDeparture)
          : (await queryArrivals(world, `at:${stopId}`, requested)).arrivals.map(readArrival);
      const ends = new Set(expected.map(({ end }) => end));
      const found = rows.map(
        ({ call, ref }): NaiveCall => ({
          ...call,
          end: toPublished(call.end, ends),
          ...readRef(world, tripNames, ref),
        }),
      );
      // The service orders ties by id; the oracle does not.
      expect(groupTies(found)).toEqual(groupTies(expected));
      compared += found.length;
    }),
    { numRuns: count, seed: 20_260_316 },
  );
  return compared;
}

/** A name that stops of several towns share has its town in front; the oracle knows only published names. */
function toPublished(name: string, published: ReadonlySet<string>): string {
  if (published.has(name)) return name;
  return [...published].find((one) => name.endsWith(` ${one}`)) ?? name;
}

const readDeparture = ({ departure, line, direction, journeyRef }: Departure) => ({
  call: { time: Date.parse(departure.scheduled!) / 1000, line: line.label, end: direction },
  ref: journeyRef!,
});

const readArrival = ({ arrival, line, origin, journeyRef }: Arrival) => ({
  call: { time: Date.parse(arrival.scheduled!) / 1000, line: line.label, end: origin },
  ref: journeyRef!,
});

function readRef({ references }: World, tripNames: ReadonlyMap<bigint, string>, ref: string) {
  const { tripKey, day } = references.openJourney(ref)!;
  return { trip: tripNames.get(tripKey)!, day };
}

function nameTrips({ timetable }: World): Map<bigint, string> {
  const { trips } = timetable.tables;
  return new Map(
    Array.from(trips.key, (key, trip) => {
      const start = trips.frequencyStart[trip]!;
      return [key, start < 0 ? trips.tripId.get(trip) : `${trips.tripId.get(trip)}@${start}`];
    }),
  );
}

/** Calls as texts; neighbours with the same time and line are sorted. */
function groupTies(calls: readonly NaiveCall[]): string[] {
  const groups: string[][] = [];
  let tie = '';
  for (const { time, line, end, trip, day } of calls) {
    const name = `${new Date(time * 1000).toISOString()} ${line}`;
    if (name !== tie) groups.push([]);
    tie = name;
    groups.at(-1)!.push(`${name} ${end} (${trip} of day ${day})`);
  }
  return groups.flatMap((group) => group.sort());
}
