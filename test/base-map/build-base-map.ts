import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Feature, FeatureCollection, Geometry } from 'geojson';
import type { LonLat } from '../../api/contract/site-map.ts';
import { isInSection, type Section } from '../../api/engine/read/section.ts';
import { cutRing, type Reduction, reduceLine, reduceRing, splitLine } from './reduce-shapes.ts';

/** Austria and what lies within some 150 km. */
const REGION: Section = { minLon: 7, minLat: 44.5, maxLon: 20, maxLat: 51 };
const FINE: Reduction = { toleranceDegrees: 0.004, digits: 3, minSquareDegrees: 0.0002 };
const COARSE: Reduction = { toleranceDegrees: 0.12, digits: 1, minSquareDegrees: 0.3 };
/** Brooks are left out, by Natural Earth's `scalerank`. */
const MAX_RIVER_RANK = 11;
/** Towns that Natural Earth names at this zoom; in the region all. */
const MAX_TOWN_ZOOM = 4;

type Properties = Readonly<Record<string, unknown>>;

/**
 * Reduces files of Natural Earth to the map below the lines: water, rivers, borders and towns, finely around Austria and
 * coarsely elsewhere.
 * @param folder with the files `ne_10m_….json` and `ne_50m_….json`, as GeoJSON
 */
export async function buildBaseMap(folder: string): Promise<FeatureCollection> {
  const read = async (name: string) => {
    const { features } = JSON.parse(await readFile(path.join(folder, `${name}.json`), 'utf8')) as FeatureCollection;
    return features.filter(({ geometry }) => geometry !== null);
  };
  const regionWater = [
    ...(await read('ne_10m_ocean')),
    ...(await read('ne_10m_lakes')),
    ...(await read('ne_10m_lakes_europe')),
  ];
  const rivers = [...(await read('ne_10m_rivers_lake_centerlines')), ...(await read('ne_10m_rivers_europe'))];
  const regionBorders = await read('ne_10m_admin_0_boundary_lines_land');
  const worldWater = [...(await read('ne_50m_ocean')), ...(await read('ne_50m_lakes'))];
  const worldBorders = await read('ne_50m_admin_0_boundary_lines_land');
  return {
    type: 'FeatureCollection',
    features: [
      polygons({ kind: 'water', area: 'world' }, reducePolygons(worldWater, COARSE, null)),
      lines({ kind: 'border', area: 'world' }, reduceLines(worldBorders, COARSE, 'outside')),
      polygons({ kind: 'land', area: 'region' }, [[rectangle(REGION)]]),
      polygons({ kind: 'water', area: 'region' }, reducePolygons(regionWater, FINE, REGION)),
      lines({ kind: 'river', area: 'region' }, reduceLines(rivers.filter(isRiver), FINE, 'inside')),
      lines({ kind: 'border', area: 'region' }, reduceLines(regionBorders, FINE, 'inside')),
      ...(await read('ne_10m_populated_places')).flatMap(toTown),
    ],
  };
}

const isRiver = ({ properties }: Feature) => Number(readColumn(properties ?? {}, 'scalerank')) <= MAX_RIVER_RANK;

/** Natural Earth writes names of columns in small letters in some files and in capitals in others. */
const readColumn = (properties: Properties, name: string) => properties[name] ?? properties[name.toUpperCase()];

function toTown({ properties, geometry }: Feature): Feature[] {
  if (geometry.type !== 'Point' || !properties) return [];
  const [lon, lat] = geometry.coordinates as [number, number];
  const zoom = Number(readColumn(properties, 'min_zoom'));
  if (zoom > MAX_TOWN_ZOOM && !isInSection(REGION, lat, lon)) return [];
  const english = String(readColumn(properties, 'name_en') ?? readColumn(properties, 'name'));
  const name = String(readColumn(properties, 'name_de') ?? english);
  return [
    {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [Number(lon.toFixed(2)), Number(lat.toFixed(2))] },
      properties: { kind: 'town', name, ...(english === name ? {} : { english }), zoom: Math.round(zoom) },
    },
  ];
}

// ---- Polygons and lines ------------------------------------------------------------------------

const polygons = (properties: Properties, coordinates: LonLat[][][]): Feature =>
  ({ type: 'Feature', geometry: { type: 'MultiPolygon', coordinates }, properties }) as unknown as Feature;

const lines = (properties: Properties, coordinates: LonLat[][]): Feature =>
  ({ type: 'Feature', geometry: { type: 'MultiLineString', coordinates }, properties }) as unknown as Feature;

const rectangle = ({ minLon, minLat, maxLon, maxLat }: Section): LonLat[] => [
  [minLon, minLat],
  [maxLon, minLat],
  [maxLon, maxLat],
  [minLon, maxLat],
  [minLon, minLat],
];

/** @param section null: the whole world */
function reducePolygons(features: readonly Feature[], reduction: Reduction, section: Section | null): LonLat[][][] {
  return features.flatMap(({ geometry }) =>
    polygonsOf(geometry).flatMap(([outer, ...holes]) => {
      const reduce = (ring: LonLat[]) => reduceRing(section ? cutRing(ring, section) : ring, reduction);
      const reduced = reduce(outer!);
      return reduced.length > 0 ? [[reduced, ...holes.map(reduce).filter((hole) => hole.length > 0)]] : [];
    }),
  );
}

function reduceLines(features: readonly Feature[], reduction: Reduction, side: 'inside' | 'outside'): LonLat[][] {
  return features
    .flatMap(({ geometry }) => linesOf(geometry))
    .flatMap((line) => splitLine(line, REGION)[side])
    .map((line) => reduceLine(line, reduction))
    .filter((line) => line.length > 0);
}

function polygonsOf(geometry: Geometry): LonLat[][][] {
  if (geometry.type === 'Polygon') return [geometry.coordinates as unknown as LonLat[][]];
  return geometry.type === 'MultiPolygon' ? (geometry.coordinates as unknown as LonLat[][][]) : [];
}

function linesOf(geometry: Geometry): LonLat[][] {
  if (geometry.type === 'LineString') return [geometry.coordinates as unknown as LonLat[]];
  return geometry.type === 'MultiLineString' ? (geometry.coordinates as unknown as LonLat[][]) : [];
}
