import type { Journey, TimeInfo } from '../../../api/contract/definitions.ts';
import type { FeedEntity, Modification, StopTimeUpdate } from '../../../pipeline/sources/gtfs-rt/feed-message.ts';
import { encodeFeedMessage } from '../../../pipeline/sources/gtfs-rt/feed-schema.ts';
import { createGtfsRtSource } from '../../../pipeline/sources/gtfs-rt/gtfs-rt-source.ts';
import { clockOf, instant, queryDepartures, queryJourney } from '../../support/worlds/board-world.ts';
import type { LiveWorld } from '../../support/worlds/live-world.ts';

/** Line 1 from A to E, one stop every five minutes: `bus` at noon, `next` ten minutes later. */
export const feed = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehrsbetriebe,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code
  A,Ahorn,48.20,16.30,,,
  B,Birke,48.22,16.30,,,
  PC,Cedrus,48.24,16.30,1,,
  C,Cedrus,48.24,16.30,,PC,1
  C2,Cedrus,48.24,16.30,,PC,2
  D,Dorn,48.26,16.30,,,
  E,Eiche,48.28,16.30,,,
  X,Xylit,48.25,16.34,,,
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r,v,1,3
  # trips.txt
  trip_id,route_id,service_id,trip_headsign
  bus,r,daily,Eiche
  next,r,daily,Eiche
  # stop_times.txt
  trip_id,arrival_time,departure_time,stop_id,stop_sequence
  bus,12:00:00,12:00:00,A,1
  bus,12:05:00,12:05:00,B,2
  bus,12:10:00,12:10:00,C,3
  bus,12:15:00,12:15:00,D,4
  bus,12:20:00,12:20:00,E,5
  next,12:10:00,12:10:00,A,1
  next,12:15:00,12:15:00,B,2
  next,12:20:00,12:20:00,C,3
  next,12:25:00,12:25:00,D,4
  next,12:30:00,12:30:00,E,5
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260301,20261031
`;

export const at = (clock: string) => `2026-03-03T${clock.length === 5 ? `${clock}:00` : clock}+01:00`;
const source = createGtfsRtSource({ tripUpdates: 'https://example.org/rt', zone: 'Europe/Vienna' });

/** Encodes a response and applies it as the poller does. */
export async function emit(live: LiveWorld, clock: string, entity: readonly FeedEntity[], part = 'trip-updates') {
  const timestamp = instant(at(clock));
  const bytes = encodeFeedMessage({ header: { gtfsRealtimeVersion: '2.0', timestamp }, entity });
  return live.report('rt', at(clock), await source.parse(bytes, source.listRequests(timestamp)[0]!, timestamp), part);
}

export const text = (reported: string) => ({ translation: [{ text: reported }] });

export const stopEntity: FeedEntity = {
  id: 's1',
  stop: { stopId: 'Xnew', stopName: text('Ersatzhalt'), stopLat: 48.23, stopLon: 16.32 },
};

export function modify(
  modifications: readonly Modification[],
  over: { shapeId?: string; tripIds?: string[] } = {},
): FeedEntity {
  const { tripIds = ['bus'], shapeId } = over;
  return {
    id: 'm1',
    tripModifications: {
      selectedTrips: [{ tripIds, ...(shapeId && { shapeId }) }],
      startTimes: [],
      serviceDates: ['20260303'],
      modifications,
    },
  };
}

export const detour: Modification = {
  startStopSelector: { stopSequence: 2, stopId: 'B' },
  endStopSelector: { stopSequence: 3, stopId: 'C' },
  propagatedModificationDelay: 180,
  replacementStops: [{ stopId: 'Xnew', travelTimeToStop: 200 }],
};

export function reportTrip(
  tripId: string,
  stopTimeUpdate: readonly StopTimeUpdate[],
  { isModified = false, ...rest }: { isModified?: boolean; scheduleRelationship?: 'CANCELED' | 'REPLACEMENT' } = {},
): FeedEntity {
  const trip = isModified
    ? { modifiedTrip: { modificationsId: 'm1', affectedTripId: tripId, startDate: '20260303' } }
    : { tripId, startDate: '20260303' };
  return { id: `${tripId}${isModified}`, tripUpdate: { trip: { ...trip, ...rest }, stopTimeUpdate } };
}

export const late = (seconds: number, sequence = 1): StopTimeUpdate => ({
  stopSequence: sequence,
  departure: { delay: seconds },
});

/** `12:15+4` minutes, `x` if cancelled. */
function describeTime({ scheduled, realtime }: TimeInfo, isCancelled: boolean): string {
  const minutes = realtime ? (instant(realtime) - instant(scheduled!)) / 60 : 0;
  return `${clockOf(scheduled!)}${minutes === 0 ? '' : `${minutes < 0 ? '' : '+'}${minutes}`}${isCancelled ? ' x' : ''}`;
}

/** `12:15+4 forecast`; only live calls have a prognosis. */
export function describeKnown(time: TimeInfo | null | undefined): string | null {
  if (!time) return null;
  return [describeTime(time, false), ...(time.isRealtime ? [time.prognosis] : [])].join(' ');
}

export async function findJourney(live: LiveWorld, now = '11:55', tripAt = 'A', line = 0): Promise<Journey> {
  const shown = live.at(at(now));
  const { departures } = await queryDepartures(shown, `at:${tripAt}`, { time: at('11:55'), now: at(now) });
  return queryJourney(shown, departures[line]!.journeyRef!, { now: at(now) });
}

export async function describeJourney(live: LiveWorld, now = '11:55'): Promise<string[]> {
  const { stops } = await findJourney(live, now);
  return stops.map(
    ({ name, departure, arrival, cancellation }) =>
      `${name} ${describeTime(arrival ?? departure!, cancellation.fullyCancelled)}`,
  );
}

/** The departures of a stop between twelve and half past. */
export async function describeBoard(live: LiveWorld, stop: string, now = '11:55'): Promise<string[]> {
  const { departures } = await queryDepartures(live.at(at(now)), `at:${stop}`, { time: at('11:55'), now: at(now) });
  return departures.map(({ departure, cancelled, direction }) => `${describeTime(departure, cancelled)} ${direction}`);
}

export const DETOURED = [
  'Ahorn 12:00+1',
  'Ersatzhalt 12:03:20+1',
  'Birke 12:05 x',
  'Cedrus 12:10 x',
  'Dorn 12:15+4',
  'Eiche 12:20+4',
];
