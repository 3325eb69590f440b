import { beforeAll, describe, expect, it } from 'vitest';
import type { Trip } from '../../../../api/contract/definitions.ts';
import { expectValidAnswer } from '../../../support/checks/contract-validator.ts';
import { clockOf, openWorld, type World } from '../../../support/worlds/board-world.ts';
import { flexFeed, zoneOnlyFeed } from '../../../support/worlds/flex-feed.ts';
import { buildTripRequest, openTrips, requestTrips } from './trip-questions.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ at: flexFeed });
});

// A Tuesday, whose Monday is in the timetable.
const on = (clock: string, day = '03') => `2026-03-${day}T${clock}:00+01:00`;
const at = (lat: number, lon: number, name = 'Haus') => ({ coord: { lat, lon }, name });

interface Request {
  readonly now?: string;
  readonly world?: World;
  readonly [member: string]: unknown;
}

async function search(from: object, to: object, { now, world: requested = world, ...over }: Request): Promise<Trip[]> {
  const body = buildTripRequest(from as never, to as never, { limit: 6, ...over } as never);
  const result = await requestTrips(openTrips(requested, now ?? on('00:00')), body);
  await expectValidAnswer('TripResult', result);
  return [...result.trips];
}

/** Such as `09:00 09:12 Ruf Ost`, walks aside. */
function describeTrip({ legs }: Trip): string {
  return legs
    .filter(({ mode }) => mode === 'transit')
    .map(({ line, origin, destination }) => {
      return `${line!.label} ${clockOf(origin.departure!.scheduled!)}-${clockOf(destination.arrival!.scheduled!)}`;
    })
    .join(', ');
}

const isDirect = ({ legs }: Trip) => legs.length === 1;
const listDirect = (trips: readonly Trip[]) => trips.filter(isDirect).map(describeTrip);

/** Homes of the zones: in `west`, in `east` alone, and two in `east` and `inner`. */
const [west, westToo] = [at(47.97, 15.92), at(47.99, 15.99)];
const [east, inner, innerToo] = [at(48.06, 16.09), at(48.06, 16.15), at(48.03, 16.24)];

describe('a ride within a zone', () => {
  it('is found in a feed without any stop', async () => {
    const flexible = await openWorld({ ruf: zoneOnlyFeed });
    const [trip, ...others] = await search(at(48.22, 16.22), at(48.28, 16.28), {
      world: flexible,
      time: on('09:00'),
      now: on('07:30'),
    });
    expect(others).toEqual([]);
    expect(trip!.attributes).toEqual(['onDemand:yes']);
    expect(describeTrip(trip!)).toBe('Ruf 1 09:00-09:16');
    expect(trip!.legs).toMatchObject([
      {
        mode: 'transit',
        direction: 'Haus',
        notices: [{ title: 'Nur nach Anmeldung', affectedLines: ['Ruf 1'] }],
        attributes: [
          `window:${on('06:00')}/${on('22:00')}`,
          'pickup:phone',
          'dropOff:phone',
          'onDemand:yes',
          `bookBy:${on('08:00')}`,
          'phone:+43 000 000',
          'url:https://example.org',
        ],
      },
    ]);
    expect(trip!.legs[0]!.notices[0]!.text).toBe(
      'Diese Fahrt ist nur nach Anmeldung möglich, bis 3.3. um 08:00 Uhr. Anmeldung: Telefon +43 000 000, https://example.org',
    );
  });

  it.each([
    ['begins at once within the window', { time: on('07:30') }, ['Ruf Ost 07:30-07:52']],
    ['waits for the window to open', { time: on('05:00') }, ['Ruf Ost 07:00-07:22']],
    ['ends before the window ends', { time: on('18:38') }, ['Ruf Ost 18:38-19:00']],
    ['is not offered where it would end later', { time: on('18:39') }, ['Ruf Ost 07:00-07:22']],
    ['ends at the requested time', { time: on('17:00'), timeMode: 'arrival' }, ['Ruf Ost 16:38-17:00']],
    ['is late in the window', { time: on('23:00'), timeMode: 'arrival' }, ['Ruf Ost 18:38-19:00']],
    ['is not offered for another product', { time: on('07:30'), products: ['tram'] }, []],
    ['is not offered by a line to avoid', { time: on('07:30'), avoid: { lines: ['Ruf Ost'] } }, []],
  ])('%s', async (_, over, expected) => {
    const direct = listDirect(await search(east, at(48.06, 16.24), over));
    expect(direct.slice(0, 1)).toEqual(expected);
  });

  it.each([
    ['08:00', '07:00', 'Ruf Ost 08:00-08:14'],
    // An hour before the ride at the latest.
    ['08:00', '07:20', 'Ruf Ost 08:20-08:34'],
  ])('at %s, at %s, is one that can still be booked', async (time, now, expected) => {
    const [trip] = (await search(east, at(48.06, 16.18), { time: on(time), now: on(now) })).filter(isDirect);
    expect(describeTrip(trip!)).toBe(expected);
    const bookBy = trip!.legs[0]!.attributes.find((text) => text.startsWith('bookBy:'))!;
    expect(bookBy.slice('bookBy:'.length) >= on(now)).toBe(true);
  });

  it('says from when it can be booked', async () => {
    const [trip] = (await search(east, inner, { time: on('12:00', '15'), now: on('07:00', '01') })).filter(isDirect);
    expect(trip!.legs[0]!.attributes).toContain(`bookFrom:${on('08:00', '01')}`);
  });

  it('is offered by the operators of all zones that overlap there', async () => {
    const direct = await search(inner, innerToo, { time: on('11:00'), now: on('15:00', '02'), all: true });
    // The slower one is dominated, until the faster one is closed.
    expect(listDirect(direct)).toEqual(['Ruf Ost 11:00-11:15']);
    const avoiding = { time: on('11:00'), avoid: { lines: ['Ruf Ost'] } };
    expect(listDirect(await search(inner, innerToo, { ...avoiding, now: on('15:59', '02') }))).toEqual([
      'Ruf Mitte 11:00-11:30',
    ]);
    // Booking closed at 16:00 on the day before; the next day is open.
    expect(listDirect(await search(inner, innerToo, { ...avoiding, now: on('16:01', '02') }))).toEqual([
      'Ruf Mitte 10:00-10:30',
    ]);
  });

  it.each([
    ['23:50', on('23:50'), 'Nachtruf 23:50-00:12'],
    ['after midnight', on('00:30', '04'), 'Nachtruf 00:30-00:52'],
    ['at its end', on('01:38', '04'), 'Nachtruf 01:38-02:00'],
    ['in the next night', on('01:39', '04'), 'Nachtruf 20:00-20:22'],
  ])('over midnight: %s', async (_, time, expected) => {
    expect(listDirect(await search(west, westToo, { time, now: on('12:00', '03') }))).toEqual([expected]);
  });

  it('is not offered from one zone to another', async () => {
    expect(listDirect(await search(west, east, { time: on('20:30') }))).toEqual([]);
  });
});

describe('a ride in a group of stops', () => {
  it('goes from one to another', async () => {
    const trips = await search({ stopId: 'at:m' }, { stopId: 'at:n' }, { time: on('07:00') });
    expect(listDirect(trips)).toEqual(['Ruf Dorf 07:00-07:06']);
    expect(trips[0]!.legs[0]).toMatchObject({ origin: { id: 'at:m' }, destination: { id: 'at:n' } });
  });
});

describe('a fixed departure from a stop into a zone', () => {
  it('is offered to an address, but not from one', async () => {
    const home = at(48.02, 16.09);
    const over = { time: on('13:30'), avoid: { lines: ['Ruf Ost'] } };
    expect(listDirect(await search({ stopId: 'at:a' }, home, over))).toEqual(['Ruf Tür 14:00-14:14']);
    expect(listDirect(await search(home, { stopId: 'at:a' }, over))).toEqual([]);
    expect(listDirect(await search({ stopId: 'at:a' }, home, { ...over, now: on('13:01') }))).toEqual([]);
  });
});

describe('a ride before or after scheduled ones', () => {
  const list = async (from: object, to: object, over: Request) => (await search(from, to, over)).map(describeTrip);
  const c = { stopId: 'at:c' };
  const a = { stopId: 'at:a' };

  it('leads to a stop of its zone, with time for the transfer', async () => {
    const [trip] = await search(west, c, { time: on('22:00'), now: on('12:00') });
    expect(describeTrip(trip!)).toBe('Nachtruf 23:02-23:27, S1 23:30-23:50');
    expect(trip!.legs.map(({ mode }) => mode)).toEqual(['transit', 'transit']);
    expect(trip!).toMatchObject({ attributes: ['onDemand:yes'], fares: [] });
    const again = await search(west, c, { time: on('23:50'), timeMode: 'arrival', now: on('12:00') });
    expect(again.at(-1)!.id).toBe(trip!.id);
  });

  it('leads from a stop of its zone, within the window and the booking deadline', async () => {
    const over = { time: on('11:50'), limit: 1 };
    expect(await list(a, east, { ...over, now: on('09:00') })).toEqual(['S1 12:00-12:10, Ruf Ost 12:13-12:27']);
    // An hour before the ride, which then waits for the vehicle.
    expect(await list(a, east, { ...over, now: on('11:30') })).toEqual(['S1 12:00-12:10, Ruf Ost 12:30-12:44']);
  });

  it.each([
    [1, ['Ruf Ost 12:00-12:15']],
    [2, ['Ruf Ost 12:00-12:15', 'S1 12:10-12:20']],
  ])('leaves room for the ride all the way on a page of %d', async (limit, expected) => {
    expect(await list({ stopId: 'at:b' }, c, { time: on('12:00'), now: on('09:00'), limit })).toEqual(expected);
  });

  it('removes no scheduled trip, and is on each page once', async () => {
    const over = { time: on('07:00'), now: on('00:00'), limit: 1 };
    const body = buildTripRequest(at(48.0, 16.081) as never, c as never, over as never);
    const context = openTrips(world, on('00:00'));
    const seen: string[] = [];
    let pageRef: string | undefined;
    for (let page = 0; page < 6; page++) {
      const { time: _, ...following } = body;
      const result = await requestTrips(context, pageRef === undefined ? body : { ...following, pageRef });
      seen.push(...result.trips.map((trip) => `${trip.departure.scheduled} ${describeTrip(trip)}`));
      pageRef = result.laterRef;
      if (pageRef === undefined) break;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((text) => text.endsWith('S1 08:10-08:20')).length).toBeGreaterThan(0);
  });
});
