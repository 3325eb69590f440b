/** A station of Vienna's underground. */
export interface MetroStation {
  /** Number in the city's register of stations. */
  readonly diva: number;
  readonly name: string;
  /** Labels as riders know them, e.g. `U1`; sorted. */
  readonly lines: readonly string[];
  /** Degrees. */
  readonly lat: number;
  readonly lon: number;
  /** RBL numbers of its underground platforms, ascending. */
  readonly stopPoints: readonly number[];
}

/** Path of the file in the project. */
export const METRO_STATIONS = 'data/lookups/metro-stations.csv';

const HEADER = 'diva,name,lines,lat,lon,stop_points';

/**
 * Reads `data/lookups/metro-stations.csv`. The file is part of the project and reviewed: no value needs quotes, and
 * errors throw.
 * @returns the stations, sorted by number
 * @throws RangeError naming the row, when it does not fit the header, or a number occurs twice
 */
export function parseMetroStations(csvText: string): MetroStation[] {
  const [header, ...rows] = csvText.trimEnd().split(/\r?\n/);
  if (header !== HEADER) throw new RangeError(`metro stations: the header is "${header}", not "${HEADER}"`);
  const stations = rows.map(parseRow).sort((a, b) => a.diva - b.diva);
  assertOnce(stations.map(({ diva }) => diva));
  assertOnce(stations.flatMap(({ stopPoints }) => stopPoints));
  return stations;
}

function parseRow(row: string): MetroStation {
  const [diva = '', name = '', lines = '', lat = '', lon = '', stopPoints = '', ...surplus] = row.split(',');
  const isRight =
    /^\d{8}$/.test(diva) &&
    name !== '' &&
    /^U\d( U\d)*$/.test(lines) &&
    /^48\.\d+$/.test(lat) &&
    /^16\.\d+$/.test(lon) &&
    /^\d+( \d+)*$/.test(stopPoints) &&
    surplus.length === 0;
  if (!isRight) throw new RangeError(`metro stations: cannot read the row "${row}"`);
  return {
    diva: Number(diva),
    name,
    lines: lines.split(' '),
    lat: Number(lat),
    lon: Number(lon),
    stopPoints: stopPoints.split(' ').map(Number),
  };
}

function assertOnce(numbers: readonly number[]): void {
  const seen = new Set<number>();
  for (const number of numbers) {
    if (seen.has(number)) throw new RangeError(`metro stations: the number ${number} occurs twice`);
    seen.add(number);
  }
}
