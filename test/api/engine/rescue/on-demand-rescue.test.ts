import { beforeAll, describe, expect, it } from 'vitest';
import type { Leg, Place, RescueRequest, Trip, TripRequest } from '../../../../api/contract/definitions.ts';
import { listLegRefs } from '../../../../api/contract/leg-refs.ts';
import { findLegAlternatives } from '../../../../api/engine/alternatives/find-leg-alternatives.ts';
import { followTrip } from '../../../../api/engine/rescue/follow-trip.ts';
import { planRescue } from '../../../../api/engine/rescue/plan-rescue.ts';
import { expectValidAnswer } from '../../../support/checks/contract-validator.ts';
import { clockOf, openWorld, type World } from '../../../support/worlds/board-world.ts';
import { flexFeed } from '../../../support/worlds/flex-feed.ts';
import { buildTripRequest, openTrips, requestTrips } from '../trips/trip-questions.ts';
import { describeOption } from './fetch-rescue.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ at: flexFeed });
});

// A Tuesday.
const on = (clock: string) => `2026-03-03T${clock}:00+01:00`;
const home = (lat: number, lon: number): Place => ({ coord: { lat, lon }, name: 'Haus' });
const [west, east] = [home(47.97, 15.92), home(48.06, 16.09)];
const [a, b, c] = ['at:a', 'at:b', 'at:c'].map((stopId) => ({ stopId })) as [Place, Place, Place];

const describeLeg = ({ mode, line, origin, destination }: Leg) =>
  `${line?.label ?? mode} ${clockOf(origin.departure!.scheduled!)}-${clockOf(destination.arrival!.scheduled!)}`;
const describeTrip = ({ legs }: Trip) => legs.map(describeLeg).join(', ');

/** The first trip of a search. */
async function plan(from: Place, to: Place, time: string, now: string, over: Partial<TripRequest> = {}): Promise<Trip> {
  const body = buildTripRequest(from, to, { time: on(time), limit: 1, ...over });
  return (await requestTrips(openTrips(world, on(now)), body)).trips[0]!;
}

/** Only scheduled service. */
const scheduled = { avoid: { lines: ['Ruf Ost', 'Ruf Mitte'] } };

const nightRide = 'Nachtruf 23:02-23:27, S1 23:30-23:50';
const dayRide = 'S1 12:00-12:10, Ruf Ost 12:13-12:27';

describe('a followed trip', () => {
  it.each([
    ['begins on demand', west, c, '22:00', '12:00', '23:10', nightRide],
    ['ends on demand', a, east, '11:50', '09:00', '10:00', dayRide],
  ])('%s as planned', async (_, from, to, time, planned, now, expected) => {
    const trip = await plan(from, to, time, planned);
    const followed = await followTrip(openTrips(world, on(now)), { legs: listLegRefs(trip), from, to });
    expect(describeTrip(followed.trip)).toBe(expected);
    expect(followed.trip).toEqual(trip);
  });

  it('keeps a ride that can no longer be booked, and says so', async () => {
    const trip = await plan(a, east, '11:50', '09:00');
    const followed = await followTrip(openTrips(world, on('11:50')), { legs: listLegRefs(trip), from: a, to: east });
    expect(describeTrip(followed.trip)).toBe(dayRide);
    const ride = followed.trip.legs.at(-1)!;
    expect(ride.attributes).toContain('booking:closed');
    expect(ride.notices.map(({ title }) => title)).toEqual(['Anmeldefrist abgelaufen']);
  });
});

describe('other departures for a leg', () => {
  const list = async (from: Place, to: Place, trip: Trip, now: string) => {
    const body = { ...buildTripRequest(from, to), legAlternatives: { legs: listLegRefs(trip), leg: 0 } };
    return (await findLegAlternatives(openTrips(world, on(now)), body)).trips.map(describeTrip);
  };

  it('have the on-demand ride that fits', async () => {
    const trip = await plan(a, east, '11:50', '06:00');
    expect((await list(a, east, trip, '06:00'))[0]).toBe('S1 08:00-08:10, Ruf Ost 08:13-08:27');
  });

  it('have a ride that can still be booked', async () => {
    const trip = await plan(a, east, '11:50', '06:00');
    // An hour before 08:13 is over, so the ride begins later.
    expect((await list(a, east, trip, '07:30'))[0]).toBe('S1 08:00-08:10, wait 08:10-08:27, Ruf Ost 08:30-08:44');
  });
});

describe('a rescue', () => {
  const rescue = async (trip: Trip, request: Partial<RescueRequest>, now: string) => {
    const body = { legs: listLegRefs(trip), limit: 6, ...request };
    const result = await planRescue(openTrips(world, on(now)), body);
    await expectValidAnswer('RescueResult', result);
    return result;
  };
  const show = ({ options }: Awaited<ReturnType<typeof rescue>>) =>
    options.map((option) => `${describeOption(option)}: ${describeTrip(option.trip)}`);

  it('keeps a plan that ends with a ride whose booking is closed', async () => {
    const result = await rescue(await plan(a, east, '11:50', '09:00'), { to: east }, '12:05');
    expect(show(result)).toEqual([`wait +0 100 % by 12:10: ${dayRide}`]);
    expect(result.options[0]!.trip.legs.at(-1)!.attributes).toContain('booking:closed');
  });

  it('does not miss the vehicle to which an on-demand ride leads from the position', async () => {
    const trip = await plan(west, c, '22:00', '12:00');
    const position = { lat: 47.97, lon: 15.92 };
    const result = await rescue(trip, { position }, '22:30');
    expect(result.state).toBe('unknown');
    expect(show(result)).toEqual([`wait +0 100 % by 23:02: ${nightRide}`]);
    // Too late for the ride, which takes 25 minutes.
    expect((await rescue(trip, { position }, '23:10')).state).toBe('missed');
  });

  it('offers a ride to the destination that can still be booked', async () => {
    const trip = await plan(b, c, '12:00', '09:00', scheduled);
    const position = { lat: 48.06, lon: 16.15 };
    const result = await rescue(trip, { position }, '12:11');
    expect([result.state, result.atLeg]).toEqual(['missed', 0]);
    // An hour's notice, so the decision is due now.
    expect(show(result)).toEqual(['reroute +66 100 % by 12:11: Ruf Ost 13:11-13:26']);
  });

  it('names the way of a traveller who is at the destination a walk', async () => {
    const trip = await plan(b, c, '12:00', '09:00', scheduled);
    const result = await rescue(trip, { position: { lat: 48, lon: 16.2 } }, '12:15');
    expect(show(result)).toEqual(['walk -5 100 % by 12:15: walk 12:15-12:15']);
  });

  it('ends at the last station if the way from there is not on foot and not on demand', async () => {
    const trip = await plan(b, c, '12:00', '09:00', scheduled);
    const result = await rescue(trip, { to: home(48.3, 16.5) }, '12:05');
    expect(show(result)).toEqual(['wait +0 100 % by 12:10: S1 12:10-12:20']);
  });
});
