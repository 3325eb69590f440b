import type { TimetabledVariant } from './made-up-feed.ts';
import { listNear, makeMap, metersBetween, type Station } from './national-network.ts';

const HEADER =
  'from_stop_id,to_stop_id,from_route_id,to_route_id,from_trip_id,to_trip_id,transfer_type,min_transfer_time\n';
/** Shares of rule kinds, as in national feeds: most refer to stops only. */
const ROUTE_SHARE = 0.02;
const TRIP_SHARE = 0.002;
const RING_METERS = 700;
const NEIGHBOUR_RINGS = 10;

/** Generates the requested number of transfer rules: for routes and trips, within stations, and to nearby stations. */
export function* listTransfers(
  count: number,
  stations: readonly Station[],
  variants: readonly TimetabledVariant[],
  random: () => number,
): Generator<string> {
  yield HEADER;
  const calling = listCalling(variants);
  let left = count;
  for (const rules of [
    takeFirst(Math.round(count * TRIP_SHARE), listTripRules(variants, calling, random)),
    takeFirst(Math.round(count * ROUTE_SHARE), listRouteRules(variants, calling, random)),
    listStationRules(stations, random),
    listNeighbourRules(stations, random),
  ]) {
    for (const rule of takeFirst(left, rules)) {
      yield rule;
      left -= 1;
    }
  }
  if (left > 0) throw new Error(`${left} transfers are missing`);
}

function* takeFirst(count: number, rules: Iterable<string>): Generator<string> {
  let taken = 0;
  if (count === 0) return;
  for (const rule of rules) {
    yield rule;
    if (++taken === count) return;
  }
}

interface Call {
  readonly timetabled: TimetabledVariant;
  readonly position: number;
}

function listCalling(variants: readonly TimetabledVariant[]): ReadonlyMap<Station, readonly Call[]> {
  const calling = new Map<Station, Call[]>();
  for (const timetabled of variants) {
    for (const [position, station] of timetabled.variant.stations.entries()) {
      const calls = calling.get(station);
      if (calls) calls.push({ timetabled, position });
      else calling.set(station, [{ timetabled, position }]);
    }
  }
  return calling;
}

// ---- Rules of stops ----------------------------------------------------------------------------

/** Between the platforms of each station, and from each to itself. */
function* listStationRules(stations: readonly Station[], random: () => number): Generator<string> {
  for (const { platformIds } of stations) {
    for (const [i, from] of platformIds.entries()) {
      for (const [k, to] of platformIds.entries()) {
        const seconds = from === to ? 60 + 30 * Math.floor(random() * 4) : 120 + 60 * Math.abs(i - k);
        yield `${from},${to},,,,,${pickType(seconds, random)}\n`;
      }
    }
  }
}

/** Lists the nearest first, ring by ring, since neighbours are far apart in a small country. */
function* listNeighbourRules(stations: readonly Station[], random: () => number): Generator<string> {
  const map = makeMap(stations);
  for (let ring = 0; ring < NEIGHBOUR_RINGS; ring++) {
    const [inside, outside] = [ring * RING_METERS, (ring + 1) * RING_METERS];
    for (const station of stations) {
      for (const other of listNear(map, station)) {
        const meters = metersBetween(station, other);
        if (other === station || meters < inside || meters >= outside) continue;
        const seconds = 60 * Math.ceil(2 + meters / 60);
        yield `${station.platformIds[0]},${other.platformIds[0]},,,,,${pickType(seconds, random)}\n`;
      }
    }
  }
}

/** Nine in ten have a minimum time; the others are recommended, timed or forbidden. */
function pickType(seconds: number, random: () => number): string {
  const luck = random();
  if (luck < 0.9) return `2,${seconds}`;
  if (luck < 0.96) return '0,';
  return luck < 0.985 ? '1,' : '3,';
}

// ---- Rules of routes and trips -----------------------------------------------------------------

type Calling = ReadonlyMap<Station, readonly Call[]>;

/** Rules for lines that meet; half of them wait for each other. */
function* listRouteRules(
  variants: readonly TimetabledVariant[],
  calling: Calling,
  random: () => number,
): Generator<string> {
  for (const [from, to] of listMeetings(variants, calling, random)) {
    const type = random() < 0.5 ? '1,' : `2,${60 * (1 + Math.floor(random() * 5))}`;
    yield `${stopOf(from)},${stopOf(to)},${from.timetabled.route.id},${to.timetabled.route.id},,,${type}\n`;
  }
}

/** Alternates between a trip that another waits for and a vehicle that continues as the next trip back. */
function* listTripRules(
  variants: readonly TimetabledVariant[],
  calling: Calling,
  random: () => number,
): Generator<string> {
  const stays = listStays(variants, random);
  for (const [from, to] of listMeetings(variants, calling, random)) {
    const [trip, other] = [random(), random()].map((luck, i) => {
      const { timetabled } = [from, to][i]!;
      return nameTrip(timetabled, Math.floor(luck * timetabled.service.length));
    });
    yield `${stopOf(from)},${stopOf(to)},,,${trip},${other},1,\n`;
    const stay = stays.next();
    if (!stay.done) yield stay.value;
  }
}

function* listMeetings(
  variants: readonly TimetabledVariant[],
  calling: Calling,
  random: () => number,
): Generator<readonly [Call, Call]> {
  for (;;) {
    const timetabled = variants[Math.floor(random() * variants.length)]!;
    const { stations } = timetabled.variant;
    const position = 1 + Math.floor(random() * (stations.length - 1));
    const others = calling.get(stations[position]!)!;
    const other = others[Math.floor(random() * others.length)]!;
    const isLast = other.position === other.timetabled.variant.stations.length - 1;
    if (isLast || other.timetabled.route === timetabled.route) continue;
    yield [{ timetabled, position }, other];
  }
}

function* listStays(variants: readonly TimetabledVariant[], random: () => number): Generator<string> {
  for (let i = 0; i + 1 < variants.length; i += 2) {
    const [there, back] = [variants[i]!, variants[i + 1]!];
    if (random() > 0.05 || there.route !== back.route) continue;
    const trip = Math.floor(random() * there.service.length);
    // Even the slowest trip has arrived by then.
    const arrival = there.firstMinute[trip]! + there.variant.minutes.at(-1)! * 1.3;
    const next = back.firstMinute.findIndex((minute, k) => minute > arrival && back.dayKind[k] === there.dayKind[trip]);
    if (next >= 0) yield `,,,,${nameTrip(there, trip)},${nameTrip(back, next)},4,\n`;
  }
}

function stopOf({ timetabled, position }: Call): string {
  return timetabled.variant.platformIds[position]!;
}

function nameTrip({ tripPrefix }: TimetabledVariant, trip: number): string {
  return `${trip}${tripPrefix}`;
}
