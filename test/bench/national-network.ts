import { type MadeUpStop, makeStops, pickFrom } from './made-up-stops.ts';

/** A station with the platforms at which vehicles call. */
export interface Station extends MadeUpStop {
  readonly id: string;
  readonly platformIds: readonly string[];
}

export interface Route {
  readonly id: string;
  readonly mode: Mode;
  readonly label: string;
  readonly agency: number;
  readonly variants: readonly Variant[];
}

/** One stop pattern of a route in one direction. */
export interface Variant {
  readonly shapeId: string | null;
  readonly direction: 0 | 1;
  readonly stations: readonly Station[];
  readonly platformIds: readonly string[];
  /** Minutes from the first call to the arrival at each. */
  readonly minutes: readonly number[];
  readonly metres: readonly number[];
}

export interface Mode {
  readonly routeType: number;
  readonly label: (number: number) => string;
  /** Share of all routes. */
  readonly share: number;
  readonly calls: readonly [number, number];
  /** Trips of a variant on a working day. */
  readonly tripsPerDay: readonly [number, number];
  readonly kilometresPerHour: number;
  readonly dwellMinutes: number;
  readonly agencies: readonly number[];
  readonly hasRails: boolean;
}

export const agencies = [
  'ÖBB-Personenverkehr AG',
  'Wiener Linien',
  'VOR - Verkehrsverbund Ost-Region',
  'OÖ Verkehrsverbund',
  'Salzburger Verkehrsverbund',
  'Verkehrsverbund Tirol',
  'Verkehrsverbund Vorarlberg',
  'Verkehrsverbund Steiermark',
  'Kärntner Linien',
];

const cityBus: Mode = {
  routeType: 3,
  label: (number) => `${1 + (number % 99)}${'AB'[number % 3] ?? ''}`,
  share: 0.24,
  calls: [12, 32],
  tripsPerDay: [30, 130],
  kilometresPerHour: 18,
  dwellMinutes: 0,
  agencies: [1, 3, 4, 5, 7],
  hasRails: false,
};

const modes: readonly Mode[] = [
  cityBus,
  {
    ...cityBus,
    routeType: 700,
    label: (number) => `${200 + (number % 700)}`,
    share: 0.6,
    calls: [8, 38],
    tripsPerDay: [6, 30],
    kilometresPerHour: 34,
    agencies: [2, 3, 4, 5, 6, 7, 8],
  },
  { ...cityBus, routeType: 0, label: (number) => `${1 + (number % 71)}`, share: 0.03, tripsPerDay: [90, 180] },
  { ...cityBus, routeType: 705, label: (number) => `N${1 + (number % 80)}`, share: 0.03, tripsPerDay: [4, 12] },
  {
    routeType: 106,
    label: (number) => `R${1 + (number % 90)}`,
    share: 0.06,
    calls: [8, 24],
    tripsPerDay: [14, 36],
    kilometresPerHour: 60,
    dwellMinutes: 1,
    agencies: [0],
    hasRails: true,
  },
  {
    routeType: 102,
    label: (number) => `RJX ${100 + (number % 800)}`,
    share: 0.04,
    calls: [5, 12],
    tripsPerDay: [4, 16],
    kilometresPerHour: 120,
    dwellMinutes: 2,
    agencies: [0],
    hasRails: true,
  },
];

/** Generates stations with two or more platforms each, until there are the requested number of stops. */
export function makeStations(stopCount: number, random: () => number): Station[] {
  const stations: Station[] = [];
  let left = stopCount;
  for (const [number, stop] of makeStops(Math.ceil(stopCount / 3), random).entries()) {
    const id = `at:${41 + (number % 9)}:${1000 + number}`;
    const platforms = Math.min(left - 1, stop.name.includes('Hbf') ? 4 + Math.floor(random() * 6) : 2);
    if (platforms < 1) break;
    stations.push({ ...stop, id, platformIds: Array.from({ length: platforms }, (_, i) => `${id}:0:${1 + i}`) });
    left -= 1 + platforms;
  }
  return stations;
}

/** Generates routes without end. */
export function* makeRoutes(stations: readonly Station[], random: () => number): Generator<Route> {
  const roads = makeMap(stations);
  const rails = makeMap(stations.filter(({ name }) => /Hbf|Bahnhof|Bahnhst/.test(name)));
  for (let number = 0; ; number++) {
    const mode = pickMode(random());
    const map = mode.hasRails ? rails : roads;
    const line = wander(map, map.stations[(number * 7919) % map.stations.length]!, between(mode.calls, random), random);
    if (line.length < 3) continue;
    const id = `${mode.routeType}-${number}-j26-1`;
    const hasShape = random() < 0.3;
    yield {
      id,
      mode,
      label: mode.label(number),
      agency: pickFrom(mode.agencies, random),
      variants: makeVariants(id, mode, line, hasShape, random),
    };
  }
}

function makeVariants(
  id: string,
  mode: Mode,
  line: readonly Station[],
  hasShape: boolean,
  random: () => number,
): Variant[] {
  const shortLine = line.slice(0, Math.max(3, Math.floor(line.length * 0.6)));
  const lines = random() < 0.4 ? [line, shortLine] : [line];
  return lines.flatMap((one, i) =>
    ([0, 1] as const).map((direction) => {
      const stations = direction === 0 ? [...one] : [...one].reverse();
      const metres = [0];
      const minutes = [0];
      for (let call = 1; call < stations.length; call++) {
        const step = Math.max(250, 1.3 * metersBetween(stations[call - 1]!, stations[call]!));
        metres.push(metres[call - 1]! + Math.round(step));
        const drive = Math.max(1, Math.round((step / 1000 / mode.kilometresPerHour) * 60));
        minutes.push(minutes[call - 1]! + drive + mode.dwellMinutes);
      }
      const platformIds = stations.map((station) => station.platformIds[direction % station.platformIds.length]!);
      return {
        shapeId: hasShape ? `${id}.${i}.${direction}` : null,
        direction,
        stations,
        platformIds,
        minutes,
        metres,
      };
    }),
  );
}

function pickMode(share: number): Mode {
  let passed = 0;
  for (const mode of modes) {
    passed += mode.share;
    if (share < passed) return mode;
  }
  return cityBus;
}

export function between([least, most]: readonly [number, number], random: () => number): number {
  return least + Math.floor(random() * (most - least + 1));
}

// ---- Where stations lie ------------------------------------------------------------------------

export interface StationMap {
  readonly stations: readonly Station[];
  readonly cellDegrees: number;
  readonly cells: ReadonlyMap<number, readonly Station[]>;
}

const CELLS_PER_ROW = 10_000;
/** Width of a cell, large enough for a few stations, so that the next stop of a line is found nearby. */
const STATIONS_PER_CELL = 4;
const COUNTRY_SQUARE_DEGREES = 2.4 * 7.4;

export function makeMap(stations: readonly Station[]): StationMap {
  const cellDegrees = Math.sqrt((COUNTRY_SQUARE_DEGREES * STATIONS_PER_CELL) / stations.length);
  const cells = new Map<number, Station[]>();
  for (const station of stations) {
    const cell = cellOf(station, cellDegrees);
    const same = cells.get(cell);
    if (same) same.push(station);
    else cells.set(cell, [station]);
  }
  return { stations, cellDegrees, cells };
}

function cellOf({ lat, lon }: Station, cellDegrees: number): number {
  return Math.floor(lat / cellDegrees) * CELLS_PER_ROW + Math.floor(lon / cellDegrees);
}

/** Generates a line that roughly keeps its heading and visits no station twice. */
export function wander(map: StationMap, start: Station, calls: number, random: () => number): Station[] {
  const heading = random() * 2 * Math.PI;
  const [north, east] = [Math.cos(heading), Math.sin(heading)];
  const line = [start];
  const seen = new Set(line);
  while (line.length < calls) {
    const here = line.at(-1)!;
    let best: Station | null = null;
    let bestScore = Number.POSITIVE_INFINITY;
    for (const candidate of listNear(map, here)) {
      if (seen.has(candidate)) continue;
      const [dy, dx] = [candidate.lat - here.lat, candidate.lon - here.lon];
      // Prefer the nearest station ahead; stations behind count as three times as far.
      const ahead = dy * north + dx * east;
      const score = Math.hypot(dy, dx) * (ahead > 0 ? 1 : 3);
      if (score < bestScore) [best, bestScore] = [candidate, score];
    }
    if (!best) break;
    line.push(best);
    seen.add(best);
  }
  return line;
}

export function listNear(map: StationMap, here: Station): Station[] {
  const middle = cellOf(here, map.cellDegrees);
  return [-1, 0, 1].flatMap((row) =>
    [-1, 0, 1].flatMap((column) => map.cells.get(middle + row * CELLS_PER_ROW + column) ?? []),
  );
}

export function metersBetween(a: Station, b: Station): number {
  const metersPerDegree = 111_000;
  return Math.hypot(a.lat - b.lat, (a.lon - b.lon) * 0.67) * metersPerDegree;
}
