import { type FeedPlan, states } from './austria-plan.ts';
import { listVillages, makeStops } from './made-up-stops.ts';
import { metersBetween, type Station } from './national-network.ts';

/** A station of the country, by its number in the register. */
export interface AustrianStation extends Station {
  readonly state: number;
  readonly isRail: boolean;
  /** In the feed of the railway it has the railway's number instead; null: the same id everywhere. */
  readonly railwayId: string | null;
}

/** Railway stations that only the railway publishes, beyond the border. */
const FOREIGN_STATIONS = 92;
export const FOREIGN_STATE = 0;
/** Stations to which the railway gives separate numbers, so that only name and place show that they are the same. */
const RENUMBERED_STATIONS = 60;
/** Stations of a neighbour that an association publishes as well. */
const BORDER_STATIONS = 50;
const CITY_STATIONS = 300;
/** Around Linz. */
const CITY_BOX = [48.24, 14.24, 48.34, 14.38] as const;

/**
 * Makes the stations of all states, those of trains first, and foreign ones at the end.
 * @param share of the stations of the country
 */
export function makeAustrianStations(share: number, random: () => number): AustrianStation[] {
  const villages = listVillages();
  const shrink = (all: number) => Math.ceil(all * share);
  const stations: AustrianStation[] = [];
  let railStations = 0;
  for (const { number, stations: ofState, railStations: ofRailway, box } of states) {
    const [count, ofTrains] = [shrink(ofState), shrink(ofRailway)];
    const isOfCity = (i: number) => number === 44 && i >= ofTrains && i < ofTrains + shrink(CITY_STATIONS);
    for (const [i, stop] of makeStops(count, random).entries()) {
      const isRail = i < ofTrains;
      // Names of railway stations are unique: a station is found by its name only where it is meant to be.
      const name = isRail ? `${villages[railStations]} Bahnhof` : stop.name;
      const place = pickPlace(isOfCity(i) ? CITY_BOX : box, random);
      const isRenumbered = isRail && railStations < shrink(RENUMBERED_STATIONS);
      const railwayId = isRenumbered ? `81${String(railStations + 1).padStart(5, '0')}` : null;
      if (isRail) railStations += 1;
      const id = `at:${number}:${1000 + i}`;
      stations.push({
        ...stop,
        ...place,
        name,
        state: number,
        isRail,
        railwayId,
        ...withPlatforms(id, isRail ? 4 : 2),
      });
    }
  }
  for (const [i, stop] of makeStops(shrink(FOREIGN_STATIONS), random).entries()) {
    const place = pickPlace([49.2, 9.5, 50, 13.5], random);
    const name = `${villages[railStations + i]} Bahnhof`;
    const id = `de:09${String(100 + i)}:${80_000 + i}`;
    stations.push({
      ...stop,
      ...place,
      name,
      state: FOREIGN_STATE,
      isRail: true,
      railwayId: null,
      ...withPlatforms(id, 2),
    });
  }
  return stations;
}

function pickPlace([south, west, north, east]: readonly [number, number, number, number], random: () => number) {
  return { lat: south + random() * (north - south), lon: west + random() * (east - west) };
}

function withPlatforms(id: string, count: number): Pick<Station, 'id' | 'platformIds'> {
  return { id, platformIds: Array.from({ length: count }, (_, i) => `${id}:0:${i + 1}`) };
}

/** The stations that a feed publishes: of its states, and the nearest ones of the association that follows it. */
export function listPublished(plan: FeedPlan, next: FeedPlan, all: readonly AustrianStation[]): AustrianStation[] {
  if (plan.states.length === 0) return all.filter(({ isRail }) => isRail);
  const own = all.filter(({ state }) => plan.states.includes(state));
  if (plan.isCity) return own.filter((station) => !station.isRail && isInCity(station));
  const centre = own[0]!;
  const foreign = all
    .filter(({ state, isRail }) => !isRail && next.states.includes(state) && !plan.states.includes(state))
    .map((station) => ({ station, meters: metersBetween(station, centre) }))
    .sort((a, b) => a.meters - b.meters);
  return [...own, ...foreign.slice(0, BORDER_STATIONS).map(({ station }) => station)];
}

function isInCity({ lat, lon }: AustrianStation): boolean {
  return lat >= CITY_BOX[0] && lon >= CITY_BOX[1] && lat <= CITY_BOX[2] && lon <= CITY_BOX[3];
}

/** The id of a station or of its platform in one feed. */
export function publishedId({ id, railwayId }: AustrianStation, plan: FeedPlan, ofStation: string): string {
  return plan.states.length === 0 && railwayId !== null ? ofStation.replace(id, railwayId) : ofStation;
}
