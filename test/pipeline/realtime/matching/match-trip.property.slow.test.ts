import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { fromEpochDay, type Instant, serviceDayStart } from '../../../../pipeline/model/service-time.ts';
import type { TripMatch } from '../../../../pipeline/realtime/matching/match-result.ts';
import type { TimetableTables } from '../../../../pipeline/snapshots/timetable-contract.ts';
import { runsOn } from '../../../../pipeline/snapshots/timetable-lookups.ts';
import { buildSample } from '../../../support/worlds/sample.ts';
import { callReport, type MatchingWorld, openMatching, stopName, tripReport } from './matching-world.ts';

const INGEST_TIMEOUT = 60_000;

let world: MatchingWorld;
beforeAll(async () => {
  world = await openMatching({ at: await buildSample('2026-03-15') });
}, INGEST_TIMEOUT);

/** One call of one dated trip, as in the timetable. */
interface Planned {
  readonly trip: number;
  readonly day: number;
  readonly position: number;
  /** Row of stops. */
  readonly stop: number;
  readonly departure: Instant;
  readonly begin: Instant;
}

/** Any dated trip, at any of its calls but the last. */
function readPlanned(
  { trips, patterns, ...tables }: TimetableTables,
  seed: readonly [number, number, number],
): Planned {
  const trip = seed[0] % trips.service.length;
  const pattern = trips.pattern[trip]!;
  const position = seed[2] % (patterns.callCount[pattern]! - 1);
  const days = listDays({ trips, patterns, ...tables }, trips.service[trip]!);
  const day = days[seed[1] % days.length]!;
  const first = patterns.firstTime[pattern]! + (trip - patterns.firstTrip[pattern]!) * patterns.callCount[pattern]!;
  const start = serviceDayStart(
    fromEpochDay(day),
    tables.zones.name.get(tables.routes.zone[patterns.route[pattern]!]!),
  );
  return {
    trip,
    day,
    position,
    stop: tables.patternCalls.stop[patterns.firstCall[pattern]! + position]!,
    departure: (start + tables.times.departure[first + position]!) as Instant,
    begin: (start + tables.times.departure[first]!) as Instant,
  };
}

function listDays(tables: TimetableTables, service: number): number[] {
  const days: number[] = [];
  for (let day = tables.services.firstDay[service]!; day <= tables.services.lastDay[service]!; day++) {
    if (runsOn(tables, service, day)) days.push(day);
  }
  return days;
}

const seeds = fc.tuple(fc.nat(), fc.nat(), fc.nat());

/** `itself`, the reason, or the trip it was confused with. */
function judge(match: TripMatch, { trip, day, position }: Planned): string {
  if (match.kind !== 'dated') return world.describe(match);
  const isItself = match.trip === trip && match.day === day && [-1, position].includes(match.positions[0] ?? -1);
  return isItself ? 'itself' : world.describe(match);
}

it('finds every trip by its id, on its day, and its calls by number and by stop', () => {
  const { tables, matcher } = world;
  fc.assert(
    fc.property(seeds, fc.boolean(), fc.boolean(), (seed, isDated, isNumbered) => {
      const planned = readPlanned(tables, seed);
      const { trips, stops, stopSequences } = tables;
      const start = trips.frequencyStart[planned.trip]!;
      const call = isNumbered
        ? { sequence: stopSequences.sequence[trips.firstSequence[planned.trip]! + planned.position]! }
        : { stop: stops.stopId.get(planned.stop), at: new Date(planned.departure * 1000).toISOString() };
      const report = tripReport(
        {
          tripId: trips.tripId.get(planned.trip),
          startDate: isDated ? fromEpochDay(planned.day) : null,
          startTime: start < 0 ? null : (start as never),
        },
        [call],
      );
      const match = matcher.matchTrip(report, { now: planned.begin, timetableSource: 'at' });
      expect(judge(match, planned)).toBe('itself');
      expect(match.kind === 'dated' && [...match.positions]).toEqual([planned.position]);
    }),
    { numRuns: 500 },
  );
});

it('finds every trip by line, station, time and destination, or reports ambiguity; it never matches another trip', () => {
  const { tables, matcher } = world;
  const counts = new Map<string, number>();
  fc.assert(
    fc.property(seeds, fc.boolean(), (seed, isByName) => {
      const planned = readPlanned(tables, seed);
      const { trips, patterns, patternCalls, stops, routes, texts } = tables;
      const pattern = trips.pattern[planned.trip]!;
      const lastStop = patternCalls.stop[patterns.firstCall[pattern]! + patterns.callCount[pattern]! - 1]!;
      const headsign = trips.headsign[planned.trip]!;
      const station = stops.station[planned.stop]!;
      const place = { name: stops.name.get(station), lat: stops.lat[station]!, lon: stops.lon[station]! };
      const stop = isByName ? stopName(null, 'hafas', place) : stopName(stops.stopId.get(station), 'ifopt');
      const report = {
        ...tripReport({
          lineLabel: routes.label.get(patterns.route[pattern]!),
          headsign: headsign < 0 ? stops.name.get(lastStop) : texts.text.get(headsign),
        }),
        calls: [callReport({ stop, at: new Date(planned.departure * 1000).toISOString() })],
      };
      const judgement = judge(matcher.matchTrip(report, { now: planned.departure, timetableSource: null }), planned);
      counts.set(judgement, (counts.get(judgement) ?? 0) + 1);
      expect(['itself', 'ambiguous']).toContain(judgement);
    }),
    { numRuns: 1000 },
  );
  expect(counts.get('itself')!).toBeGreaterThan(900);
});
