import { lowerBound } from '../model/binary-search.ts';
import { type BlockVisitor, decodeBlock, listObjectKinds, listOuterWays, type Tags } from '../osm/decode-block.ts';
import { findCentroid, findMiddle, type UnitPoint } from '../osm/outline-points.ts';
import type { PackedNumbers } from '../osm/packed-numbers.ts';
import { type BlockPlace, openPbf, type PbfFile } from '../osm/pbf-blocks.ts';
import type { ParkAndRide } from './published-streets.ts';

const KEYS = ['park_ride'];
const UNITS_PER_DEGREE = 1e7;

/** Whether `park_ride` is `yes` or names a mode of public transport, such as `bus`. */
function isParkAndRide(tags: Tags): boolean {
  const parkRide = tags.get('park_ride');
  return tags.get('amenity') === 'parking' && parkRide !== undefined && parkRide !== 'no';
}

interface Areas {
  /** Nodes of each area that is a way, in order. */
  readonly ways: readonly (readonly number[])[];
  /** Nodes of each area that is a relation. Its ways may be in any order and direction. */
  readonly relations: readonly (readonly number[])[];
  readonly nodeBlocks: readonly BlockPlace[];
}

/**
 * Reads the places of an extract where a car can be parked to go on by public transport
 * (`amenity=parking` with `park_ride`), areas by their centre; sorted by latitude.
 * @throws ExternalError `pbf_unreadable`; the signal's reason
 */
export async function readParkAndRide(file: string, signal: AbortSignal): Promise<ParkAndRide[]> {
  const pbf = await openPbf(file);
  try {
    const areas = await readAreas(pbf, file, signal);
    const found = await readPoints(pbf, file, areas, signal);
    return found
      .map(({ lat, lon }) => ({ lat: lat / UNITS_PER_DEGREE, lon: lon / UNITS_PER_DEGREE }))
      .sort((a, b) => a.lat - b.lat || a.lon - b.lon);
  } finally {
    await pbf.close();
  }
}

async function readAreas(pbf: PbfFile, file: string, signal: AbortSignal): Promise<Areas> {
  const [nodeBlocks, wayBlocks]: [BlockPlace[], BlockPlace[]] = [[], []];
  const ways: (readonly number[])[] = [];
  const relations: (readonly number[])[] = [];
  const visitor: BlockVisitor = {
    keys: KEYS,
    way: (_id, tags, nodes) => {
      if (isParkAndRide(tags)) ways.push(listNodes(nodes));
    },
    relation: (_id, tags, members) => {
      if (isParkAndRide(tags)) relations.push(listOuterWays(members));
    },
  };
  for (const place of pbf.blocks) {
    signal.throwIfAborted();
    const block = await pbf.read(place);
    const kinds = listObjectKinds(block, file);
    if (kinds.nodes) nodeBlocks.push(place);
    if (kinds.ways) wayBlocks.push(place);
    if (kinds.ways || kinds.relations) decodeBlock(block, file, visitor);
  }
  const outer = await readWays(pbf, file, wayBlocks, new Set(relations.flat()), signal);
  return { ways, relations: relations.map((members) => members.flatMap((way) => outer.get(way) ?? [])), nodeBlocks };
}

/** @returns the nodes of each wanted way */
async function readWays(
  pbf: PbfFile,
  file: string,
  blocks: readonly BlockPlace[],
  wanted: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const found = new Map<number, readonly number[]>();
  if (wanted.size === 0) return found;
  const visitor: BlockVisitor = {
    keys: KEYS,
    needsWay: (id) => wanted.has(id),
    way: (id, _tags, nodes) => {
      if (wanted.has(id)) found.set(id, listNodes(nodes));
    },
  };
  for (const place of blocks) {
    signal.throwIfAborted();
    decodeBlock(await pbf.read(place), file, visitor);
  }
  return found;
}

function listNodes(list: PackedNumbers): number[] {
  const nodes: number[] = [];
  for (let id = 0; !list.isAtEnd(); ) {
    id += list.readSigned();
    nodes.push(id);
  }
  return nodes;
}

/** @returns single nodes, and the centre of each area with nodes in the extract */
async function readPoints(
  pbf: PbfFile,
  file: string,
  { ways, relations, nodeBlocks }: Areas,
  signal: AbortSignal,
): Promise<UnitPoint[]> {
  const found: UnitPoint[] = [];
  const needed = Float64Array.from(new Set([...ways, ...relations].flat())).sort();
  const points = new Map<number, UnitPoint>();
  const visitor: BlockVisitor = {
    keys: KEYS,
    node: (id, lat, lon, tags) => {
      if (tags !== null && isParkAndRide(tags)) found.push({ lat, lon });
      if (needed[lowerBound(needed, id)] === id) points.set(id, { lat, lon });
    },
  };
  for (const place of nodeBlocks) {
    signal.throwIfAborted();
    decodeBlock(await pbf.read(place), file, visitor);
  }
  const pointsOf = (nodes: readonly number[]) => nodes.flatMap((node) => points.get(node) ?? []);
  const centres = [
    ...ways.map((nodes) => findCentroid(pointsOf(nodes))),
    ...relations.map((nodes) => findMiddle(pointsOf(nodes))),
  ];
  return [...found, ...centres.filter((centre) => centre !== null)];
}
