import type { SampleRow, SampleTable } from './csv.ts';
import { formatDegrees, type SampleStops } from './stops-table.ts';

/** Wien Praterstern: the one station with levels and pathways. */
const STATION = 'at:49:1040';
const ENTRANCES = [
  { id: `${STATION}:e:1`, name: 'Praterstern, Eingang Lassallestraße', north: 0.0006, east: 0.0004 },
  { id: `${STATION}:e:2`, name: 'Praterstern, Eingang Prater', north: -0.0005, east: 0.0007 },
] as const;

const levels = [
  { id: 'praterstern-street', index: 0, name: 'Straße' },
  { id: 'praterstern-hall', index: 1, name: 'Bahnsteige S-Bahn' },
  { id: 'praterstern-u1', index: -1, name: 'Bahnsteige U1' },
  { id: 'praterstern-u2', index: -2, name: 'Bahnsteige U2' },
] as const;

interface StationInterior {
  /** Level id by stop id. */
  readonly stopLevels: ReadonlyMap<string, string>;
  readonly entranceRows: readonly SampleRow[];
  readonly files: readonly [string, SampleTable][];
}

/** Levels, entrances and the pathways between entrances and platforms. */
export function buildStationInterior(stops: SampleStops): StationInterior {
  const station = stops.stations.find(({ id }) => id === STATION);
  if (!station) throw new RangeError(`no station ${STATION} in the lookup`);
  const platforms = stops.boardingPlaces.filter(({ parentId }) => parentId === STATION);
  const stopLevels = new Map(platforms.map(({ stopId }, i) => [stopId, levels[i % levels.length]!.id as string]));
  for (const { id } of ENTRANCES) stopLevels.set(id, levels[0].id);
  return {
    stopLevels,
    entranceRows: ENTRANCES.map(({ id, name, north, east }) => [
      id,
      '',
      name,
      formatDegrees(station.lat + north),
      formatDegrees(station.lon + east),
      2,
      STATION,
      '',
      1,
      levels[0].id,
    ]),
    files: [
      [
        'levels.txt',
        {
          header: ['level_id', 'level_index', 'level_name'],
          rows: levels.map(({ id, index, name }) => [id, index, name]),
        },
      ],
      [
        'pathways.txt',
        buildPathways(
          platforms.map(({ stopId }) => stopId),
          stopLevels,
        ),
      ],
    ],
  };
}

const WALKWAY = 1;
const ESCALATOR = 4;
const ELEVATOR = 5;

function buildPathways(platforms: readonly string[], stopLevels: ReadonlyMap<string, string>): SampleTable {
  const rows: SampleRow[] = [];
  for (const { id: entrance } of ENTRANCES) {
    platforms.forEach((platform, i) => {
      const isLevel = stopLevels.get(platform) === levels[0].id;
      const modes = isLevel ? [WALKWAY] : [ESCALATOR, ELEVATOR];
      for (const mode of modes) {
        rows.push([`${entrance}-${i + 1}-${mode}`, entrance, platform, mode, 1, 60 + 15 * i, 50 + 10 * i]);
      }
    });
  }
  return {
    header: [
      'pathway_id',
      'from_stop_id',
      'to_stop_id',
      'pathway_mode',
      'is_bidirectional',
      'traversal_time',
      'length',
    ],
    rows,
  };
}
