import { beforeEach, describe, expect, it } from 'vitest';
import { openMemoryOnlyObservations } from '../../../pipeline/lake/observations/observation-store.ts';
import { emptyUpdate, type SourceUpdate } from '../../../pipeline/model/realtime.ts';
import { fromEpochDay, type ServiceTime } from '../../../pipeline/model/service-time.ts';
import { openMatcher } from '../../../pipeline/realtime/matching/open-matcher.ts';
import type { AppliedUpdate } from '../../../pipeline/realtime/state/apply-update.ts';
import { createSourceMemory } from '../../../pipeline/realtime/state/memory.ts';
import { openPlannedCalls } from '../../../pipeline/realtime/state/planned-calls.ts';
import { findResolved, rememberResolved } from '../../../pipeline/realtime/state/resolved-trips.ts';
import { startRun } from '../../../pipeline/realtime/state/update-run.ts';
import { openWorld } from '../../support/worlds/board-world.ts';
import {
  clock,
  DATE,
  DAY,
  describeObservation,
  type LiveLine,
  lineFeed,
  openLiveLine,
  reported,
  tripRow,
} from './live-line.ts';
import { alertReport, stopName, tripName, vehicleReport } from './matching/matching-world.ts';

let line: LiveLine;
beforeEach(async () => {
  line = await openLiveLine();
});

const seconds = (hours: number, minutes = 0) => (hours * 3600 + minutes * 60) as ServiceTime;
const [updates, positions, alerts] = ['trip-updates', 'vehicle-positions', 'alerts'] as const;

/** The bus at eight, by an id that the timetable lacks, with route and start. */
const drifted = { tripId: 'x1', startDate: DATE };
const byStart = { ...drifted, routeId: 'r', startTime: seconds(8) };
const late = reported(byStart, [{ stop: 'b1', times: [60, 60] }]);
const vehicle = vehicleReport(drifted, { stop: stopName('b1'), stopStatus: 'stoppedAt' });
const cancelled = reported(drifted, [], { relationship: 'cancelled' });

const emit = (at: string, part: string, update: Partial<SourceUpdate>) => line.report(at, update, { part });

/** Counts of the trips and vehicles of a response, by kind. */
function tallyOf({ tally }: Pick<AppliedUpdate, 'tally'>): unknown[] {
  const { matched, unmatched, vehiclesMatched, vehiclesOnRouteOnly, vehiclesUnmatched } = tally;
  return [{ ...matched, ...unmatched }, vehiclesMatched, vehiclesOnRouteOnly, vehiclesUnmatched];
}

const describeRevisited = ({ revisited }: AppliedUpdate) =>
  revisited.map((one) => [one.part, ...tallyOf(one), ...one.observations.map(describeObservation)]);

function vehicleTrips(at: string): string[] {
  const { vehicles } = line.build(at);
  const { tripId } = line.timetable.trips;
  return Array.from(vehicles.trip, (trip, i) => `${trip < 0 ? '-' : tripId.get(trip)} ${vehicles.position[i]}`);
}

describe('a trip id resolved by one response of a source', () => {
  it('applies to the vehicle that another response names by that id only', () => {
    expect(tallyOf(emit('08:05', updates, { trips: [late] }))).toEqual([{ route_start: 1 }, 0, 0, 0]);
    const applied = emit('08:11', positions, { vehicles: [vehicle] });
    expect(tallyOf(applied)).toEqual([{}, 1, 0, 0]);
    expect(vehicleTrips('08:11')).toEqual(['bus 1']);
    expect(applied.observations.map(describeObservation)).toEqual(['bus 1.arrival 08:11 observed from a position']);
    expect(line.state.listObserved('rt').map(({ tripId }) => tripId)).toEqual(['bus']);
  });

  it('applies to a vehicle that was reported before it, immediately and with its raw response', () => {
    expect(tallyOf(emit('08:10', positions, { vehicles: [vehicle] }))).toEqual([{}, 0, 0, 1]);
    const applied = emit('08:11', updates, { trips: [late] });
    expect(describeRevisited(applied)).toEqual([
      [positions, {}, 1, 0, 0, 'bus 1.arrival 08:10 observed from a position'],
    ]);
    expect(vehicleTrips('08:11')).toEqual(['bus 1']);
    // It still stands there, and then leaves: its arrival is not emitted again.
    expect(emit('08:12', positions, { vehicles: [vehicle] }).observations).toEqual([]);
    const gone = { ...vehicle, stop: stopName('c'), stopStatus: 'inTransitTo' } as const;
    expect(emit('08:13', positions, { vehicles: [gone] }).observations.map(describeObservation)).toEqual([
      'bus 1.departure 08:12 observed from a position',
    ]);
  });

  it('applies to a cancellation, after it and before it, and across responses without it', () => {
    emit('08:00', updates, { trips: [late] });
    emit('08:01', updates, { trips: [] });
    const applied = emit('08:02', updates, { trips: [cancelled] });
    expect(tallyOf(applied)).toEqual([{ resolved_id: 1 }, 0, 0, 0]);
    expect(line.show('bus', '08:02')).toBe('cancelled x x x x');
  });

  it('applies to a cancellation that a vehicle explains later', () => {
    expect(tallyOf(emit('07:50', updates, { trips: [cancelled] }))).toEqual([{ unknown_trip: 1 }, 0, 0, 0]);
    const applied = emit('07:51', positions, { vehicles: [vehicleReport({ ...byStart, directionId: 0 })] });
    expect(describeRevisited(applied).map(([part, counts]) => [part, counts])).toEqual([[updates, { resolved_id: 1 }]]);
    expect(applied.revisited[0]!.observations).toHaveLength(6);
    expect(line.show('bus', '07:51')).toBe('cancelled x x x x');
    // The next response that omits it withdraws it, as if it had been resolved from the start.
    emit('07:52', updates, { trips: [] });
    expect(line.show('bus', '07:52')).toBe('-/- -/- -/- -/-');
  });

  it.each([
    ['after it', [updates, alerts]],
    ['before it', [alerts, updates]],
  ])('applies to an alert %s', (_reason, order) => {
    const reported = {
      [updates]: { trips: [late] },
      [alerts]: { alerts: [alertReport({ trips: [tripName(drifted)] })] },
    };
    order.forEach((part, i) => {
      emit(`08:0${i}`, part, reported[part]!);
    });
    const { json } = line.build('08:02').alerts;
    expect(JSON.parse(json.get(0)).entities[0].trips).toEqual([{ trip: tripRow(line.timetable, 'bus'), day: DAY }]);
  });

  it('resolves by schedule like by route and start', () => {
    const byPlan = { ...drifted, lineLabel: '1', headsign: 'Dorf' };
    const planned = reported(byPlan, [{ stop: 'b1', plan: ['08:10', '08:11'], times: ['08:12', '08:13'] }]);
    expect(tallyOf(emit('08:05', updates, { trips: [planned] }))[0]).toEqual({ stop_line_time: 1 });
    expect(tallyOf(emit('08:11', positions, { vehicles: [vehicle] }))).toEqual([{}, 1, 0, 0]);
  });

  it('does not apply to another source or another day', async () => {
    line = await openLiveLine(['rt', 'other']);
    emit('08:05', updates, { trips: [late] });
    expect(tallyOf(line.report('08:11', { vehicles: [vehicle] }, { source: 'other' }))).toEqual([{}, 0, 0, 1]);
    const tomorrow = vehicleReport({ ...drifted, startDate: fromEpochDay(DAY + 1) });
    expect(tallyOf(emit('08:12', positions, { vehicles: [tomorrow] }))).toEqual([{}, 0, 0, 1]);
  });

  it('is replaced by a report with the id of the trip itself, and by one under a new id that runs', () => {
    emit('08:00', updates, { trips: [late] });
    const own = reported('bus', [{ stop: 'b1', times: [120, 120] }]);
    expect(tallyOf(emit('08:01', updates, { trips: [cancelled, own] }))[0]).toEqual({
      duplicate_report: 1,
      trip_id: 1,
    });
    const renamed = reported({ ...byStart, tripId: 'x2' }, [{ stop: 'b1', times: [180, 180] }]);
    expect(tallyOf(emit('08:02', updates, { trips: [renamed, cancelled] }))[0]).toEqual({
      duplicate_report: 1,
      route_start: 1,
    });
    expect(line.show('bus', '08:02')).toBe('-/- 08:13/08:14 08:23/08:25 08:33/08:33');
  });

  it('expires half a day after the trip has ended', () => {
    emit('08:05', updates, { trips: [late] });
    expect(tallyOf(emit('20:30', positions, { vehicles: [vehicle] }))).toEqual([{}, 1, 0, 0]);
    expect(tallyOf(emit('20:31', positions, { vehicles: [vehicle] }))).toEqual([{}, 0, 0, 1]);
  });

  it('resolves a daily id to the nearest date', () => {
    const noDate = { ...drifted, startDate: null };
    emit('08:05', updates, { trips: [late, { ...late, trip: { ...late.trip, startDate: fromEpochDay(DAY + 1) } }] });
    emit('08:20', positions, { vehicles: [vehicleReport(noDate)] });
    expect(line.build('08:20').vehicles.day).toEqual(Int32Array.of(DAY));
    // Late, and not early by a day.
    emit('08:40', positions, { vehicles: [vehicleReport(noDate)] });
    expect(line.build('08:40').vehicles.day).toEqual(Int32Array.of(DAY));
    emit('20:40', positions, { vehicles: [vehicleReport(noDate)] });
    expect(line.build('20:40').vehicles.day).toEqual(Int32Array.of(DAY + 1));
  });

  it('is carried over to another timetable if the trip is in it', async () => {
    emit('08:05', updates, { trips: [late] });
    const moved = lineFeed
      .replace('bus,r,daily', 'ante,r,daily,1,\n  bus,r,daily')
      .replace('bus,a,1,08', 'ante,d,1,07:00:00,07:00:00\n  ante,a,2,07:30:00,07:30:00\n  bus,a,1,08');
    for (const [feed, expected] of [
      [moved, [{}, 1, 0, 0]],
      [lineFeed.replaceAll(/^ *bus,.*\n/gm, ''), [{}, 0, 0, 1]],
    ] as const) {
      const { timetable } = await openWorld(feed);
      const matcher = openMatcher(timetable, { stopLinks: [], metroStations: [] });
      line.state.useTimetable({ tables: timetable.tables, matcher });
      expect(tallyOf(emit('08:11', positions, { vehicles: [vehicle] }))).toEqual(expected);
    }
  });

  it('survives a restart, so that a cancellation by id only still applies', async () => {
    const store = openMemoryOnlyObservations();
    const keep = async (at: string, update: Partial<SourceUpdate>) => {
      const { observations, ended, resolved } = emit(at, updates, update);
      await store.append({ part: updates, rawId: at, seenAt: clock(at), observations, ended, resolved });
    };
    await keep('07:40', { trips: [late] });
    await keep('07:41', { trips: [cancelled] });
    line = await openLiveLine();
    line.state.restore('rt', store.listOpen(), store.listResolved());
    await keep('07:42', { trips: [cancelled] });
    expect(line.show('bus', '07:42')).toBe('cancelled x x x x');
  });

  it('is bounded: of a publisher that renames its trips endlessly, the newest names are kept', () => {
    const source = createSourceMemory('rt');
    const planned = openPlannedCalls(line.timetable);
    const match = { trip: tripRow(line.timetable, 'bus'), day: DAY, how: 'route_start' } as const;
    const matcher = openMatcher(line.world.timetable, { stopLinks: [], metroStations: [] });
    const answer = { part: updates, fetchedAt: clock('08:00'), update: emptyUpdate };
    const run = startRun(source, answer, {
      planned,
      matcher,
      timetableSource: 'at',
      maxEarlySeconds: 600,
      maxUncertaintySeconds: 45,
    });
    for (let i = 0; i < 200_010; i++) rememberResolved(run, tripName({ tripId: `x${i}`, startDate: DATE }), match);
    expect(source.resolved.size).toBe(200_000);
    const find = (tripId: string) =>
      findResolved(source, planned, tripName({ tripId, startDate: DATE }), clock('08:00'));
    expect([find('x9'), find('x10'), find('x200009')]).toEqual([
      null,
      { trip: match.trip, day: DAY },
      expect.anything(),
    ]);
  });
});
