import { expect } from 'vitest';
import type { RescueRequest, RescueResult } from '../../../../api/contract/definitions.ts';
import type { SourceUpdate, TripReport } from '../../../../pipeline/model/realtime.ts';
import { openWorld } from '../../../support/worlds/board-world.ts';
import { callOf, reportOf, stopOf, timeOf, vehicleOf } from '../../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { at, townTrip } from '../live-town.ts';
import { tripTown } from '../trips/trip-town.ts';
import { describeOption, fetchRescue, type RequestedLeg } from './fetch-rescue.ts';

// Scenes of a rescue: reports of the sources, position of the traveller, and the expected first options.

export const busOnly: readonly RequestedLeg[] = [['t1', 'a', 'z']];
export const toTheCourt: readonly RequestedLeg[] = [
  ['t1', 'a', 's1'],
  ['x1', 's2', 'x'],
];
/** One vehicle serves both trips. */
export const throughBus: readonly RequestedLeg[] = [
  ['t3', 'h', 'z'],
  ['t4', 'z', 'a'],
];

export const anger = { lat: 48.0, lon: 16.0 };
/** On the path of the bus, between the church and the station. */
export const onTheWay = { lat: 48.03, lon: 16.03 };
export const faraway = { lat: 48.2, lon: 16.4 };

/** Departs from its first stop at a time, with the same delay at all others. */
export const leaves = (tripId: string, stop: string, clock: string): TripReport =>
  reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { departure: timeOf(at(clock)) })] });
/** Has left its first stop. */
export const hasLeft = (tripId: string, stop: string, clock: string): TripReport =>
  reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { departure: timeOf(at(clock), null, true) })] });
export const arrives = (tripId: string, stop: string, clock: string): TripReport =>
  reportOf(townTrip(tripId), { calls: [callOf(stopOf(stop), { arrival: timeOf(at(clock)) })] });
export const skips = (tripId: string, ...stops: readonly string[]): TripReport =>
  reportOf(townTrip(tripId), { calls: stops.map((stop) => callOf(stopOf(stop), { state: 'skipped' })) });
export const seenAt = (tripId: string, place: { lat: number; lon: number }, clock: string): Partial<SourceUpdate> => ({
  vehicles: [vehicleOf('v', { trip: townTrip(tripId), ...place, recordedAt: timeOf(at(clock)).time })],
});

/** The second train to the court is so late that an itinerary search does not offer it beside the first one. */
export const townWithRareTrains = tripTown
  .replace('x2,s2,1,09:18:00,09:18:00', 'x2,s2,1,09:38:00,09:38:00')
  .replace('x2,x,2,09:45:00,09:45:00', 'x2,x,2,10:05:00,10:05:00');

export interface Scene {
  /** Default: `tripTown`. */
  readonly feed?: string;
  readonly trips?: readonly TripReport[];
  readonly also?: Partial<SourceUpdate>;
  /** Rows of transfers.txt. */
  readonly transfers?: readonly string[];
  readonly now: string;
  readonly legs: readonly RequestedLeg[];
  readonly request?: Partial<RescueRequest>;
  readonly state: readonly [RescueResult['state'], number?];
  /** The first options; the rest is not compared. */
  readonly options: readonly string[];
}

async function openTown({ feed = tripTown, trips = [], also = {}, transfers = [], now }: Scene) {
  const rules =
    transfers.length === 0
      ? ''
      : `# transfers.txt\nfrom_stop_id,to_stop_id,transfer_type,min_transfer_time\n${transfers.join('\n')}\n`;
  const live = await openLiveWorld(await openWorld(feed + rules));
  live.report('rt', at(now), { trips: [...trips], ...also });
  return live.at(at(now));
}

/** Expects the state of a scene, and its first options. */
export async function checkScene(scene: Scene): Promise<void> {
  const { now, legs, request, state, options } = scene;
  const result = await fetchRescue(await openTown(scene), now, legs, request, { freshAt: now });
  expect([result.state, result.atLeg]).toEqual([state[0], state[1]]);
  expect(result.options.map(describeOption).slice(0, options.length)).toEqual(
    options.map((option) => expect.stringContaining(option)),
  );
  const isOver = state[0] === 'missed' || state[0] === 'cancelled';
  if (isOver) expect(result.options.map(({ kind }) => kind)).not.toContain('wait');
}
