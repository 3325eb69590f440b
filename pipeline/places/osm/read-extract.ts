import { ExternalError } from '../../effects/external-error.ts';
import type { Log } from '../../effects/log.ts';
import { lowerBound } from '../../model/binary-search.ts';
import { type BlockVisitor, decodeBlock, listObjectKinds, listOuterWays, type Tags } from '../../osm/decode-block.ts';
import { findCentroid, findMiddle, type UnitPoint } from '../../osm/outline-points.ts';
import type { PackedNumbers } from '../../osm/packed-numbers.ts';
import { type BlockPlace, openPbf, type PbfFile } from '../../osm/pbf-blocks.ts';
import type { PlaceRows } from '../rows/place-rows.ts';
import { addObject } from './add-object.ts';
import { interpretTags, type TaggedObject } from './interpret-tags.ts';

/** A way whose nodes are read later. */
interface PendingObject {
  readonly id: number;
  readonly tagged: TaggedObject;
  /** Node ids in `nodeIds`. */
  readonly first: number;
  readonly count: number;
  readonly isClosed: boolean;
}

interface PendingRelation {
  readonly id: number;
  readonly tagged: TaggedObject;
  readonly ways: readonly number[];
  /** A node that stands for it, such as the centre of a town or an entrance; 0: none. */
  readonly node: number;
}

/** Keys without which an object is neither a place nor an address. */
const KEYS: readonly string[] = ['name', 'addr:housenumber'];

/** Roles of a node that says better where an object is than its outline does. */
const POINT_ROLES: readonly string[] = ['label', 'admin_centre', 'entrance', 'main'];
/** More objects than this without coordinates mean that parts of the file are of different days. */
const MAX_UNPLACED_SHARE = 0.2;
const FEW_OBJECTS = 20;

/**
 * Reads addresses, named places and streets from an OpenStreetMap extract: relations first, then ways, whose nodes are
 * only looked up where something searchable needs them.
 * @throws ExternalError `pbf_unreadable`, also for a file whose ways refer to nodes that it lacks; the signal's reason
 */
export async function readExtract(
  file: string,
  rows: PlaceRows,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  const pbf = await openPbf(file);
  try {
    log.progress('places: reading relations');
    const { relations, wayBlocks, nodeBlocks } = await readRelations(pbf, file, signal);
    log.progress('places: reading ways');
    const outline = await readWays(pbf, file, wayBlocks, relations, signal);
    log.progress('places: reading nodes');
    const found = await readNodes(pbf, file, nodeBlocks, outline, rows, signal);
    placeObjects(outline, relations, found, rows);
    checkPlaced(file, outline.pending.length + relations.length, rows);
  } finally {
    await pbf.close();
  }
}

async function readRelations(pbf: PbfFile, file: string, signal: AbortSignal) {
  const relations: PendingRelation[] = [];
  const [wayBlocks, nodeBlocks]: [BlockPlace[], BlockPlace[]] = [[], []];
  const visitor: BlockVisitor = {
    keys: KEYS,
    relation(id, tags, members) {
      const tagged = interpretTags(tags);
      if (tagged.place === null && tagged.address === null) return;
      const point = members.find(({ type, role }) => type === 'node' && POINT_ROLES.includes(role));
      relations.push({ id, tagged, ways: listOuterWays(members), node: point?.id ?? 0 });
    },
  };
  for (const place of pbf.blocks) {
    signal.throwIfAborted();
    const block = await pbf.read(place);
    const kinds = listObjectKinds(block, file);
    if (kinds.nodes) nodeBlocks.push(place);
    if (kinds.ways) wayBlocks.push(place);
    if (kinds.relations) decodeBlock(block, file, visitor);
  }
  return { relations, wayBlocks, nodeBlocks };
}

/** Ways that are searchable or outline a relation, with the ids of their nodes. */
interface Outline {
  readonly pending: PendingObject[];
  /** Range of `nodeIds` of each way that a relation needs. */
  readonly wayNodes: ReadonlyMap<number, { readonly first: number; readonly count: number }>;
  readonly nodeIds: Float64Array;
  /** All nodes that are needed, ascending, each once. */
  readonly needed: Float64Array;
}

async function readWays(
  pbf: PbfFile,
  file: string,
  blocks: readonly BlockPlace[],
  relations: readonly PendingRelation[],
  signal: AbortSignal,
): Promise<Outline> {
  const wanted = new Set(relations.flatMap(({ ways }) => ways));
  const wayNodes = new Map<number, { first: number; count: number }>();
  const pending: PendingObject[] = [];
  const nodes = new GrowingNumbers();
  const visitor: BlockVisitor = {
    keys: KEYS,
    needsWay: (id) => wanted.has(id),
    way(id, tags, list) {
      const tagged = interpretTags(tags);
      const isNeeded = wanted.has(id);
      if (!isNeeded && tagged.place === null && tagged.address === null && tagged.street === null) return;
      const first = nodes.length;
      const isClosed = addNodes(nodes, list);
      const count = nodes.length - first;
      if (isNeeded) wayNodes.set(id, { first, count });
      if (tags.size > 0) pending.push({ id, tagged, first, count, isClosed });
    },
  };
  for (const place of blocks) {
    signal.throwIfAborted();
    decodeBlock(await pbf.read(place), file, visitor);
  }
  const nodeIds = nodes.toArray();
  const points = Float64Array.from(relations.map(({ node }) => node).filter((node) => node !== 0));
  return { pending, wayNodes, nodeIds, needed: sortDistinct(nodeIds, points) };
}

/** @returns whether the first node is the last one too */
function addNodes(nodes: GrowingNumbers, list: PackedNumbers): boolean {
  const first = nodes.length;
  let id = 0;
  while (!list.isAtEnd()) {
    id += list.readSigned();
    nodes.push(id);
  }
  return nodes.length - first > 2 && nodes.get(first) === id;
}

function sortDistinct(...lists: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  all.sort();
  let count = 0;
  for (let i = 0; i < all.length; i++) if (i === 0 || all[i] !== all[i - 1]) all[count++] = all[i]!;
  return all.slice(0, count);
}

/** A list of numbers that grows without an object for each. */
class GrowingNumbers {
  #values = new Float64Array(1024);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = new Float64Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  get(i: number): number {
    return this.#values[i]!;
  }

  toArray(): Float64Array {
    return this.#values.slice(0, this.length);
  }
}

const UNKNOWN = -0x80000000;

/** Coordinates of the needed nodes, by their position in `needed`. */
interface NodePlaces {
  readonly lat: Int32Array;
  readonly lon: Int32Array;
}

async function readNodes(
  pbf: PbfFile,
  file: string,
  blocks: readonly BlockPlace[],
  { needed }: Outline,
  rows: PlaceRows,
  signal: AbortSignal,
): Promise<NodePlaces> {
  const places = { lat: new Int32Array(needed.length).fill(UNKNOWN), lon: new Int32Array(needed.length) };
  let at = 0;
  let idBefore = Number.NEGATIVE_INFINITY;
  const visitor: BlockVisitor = {
    keys: KEYS,
    node(id, lat, lon, tags) {
      // Nodes are sorted as a rule, so that the position only moves on.
      if (id < idBefore) at = lowerBound(needed, id);
      idBefore = id;
      while (at < needed.length && needed[at]! < id) at++;
      if (needed[at] === id) {
        places.lat[at] = lat;
        places.lon[at] = lon;
      }
      if (tags !== null) addNode(rows, id, lat, lon, tags);
    },
  };
  for (const place of blocks) {
    signal.throwIfAborted();
    decodeBlock(await pbf.read(place), file, visitor);
  }
  return places;
}

function addNode(rows: PlaceRows, id: number, lat: number, lon: number, tags: Tags): void {
  const tagged = interpretTags(tags);
  if (tagged.place !== null || tagged.address !== null) addObject(rows, 'node', id, tagged, { lat, lon });
}

function placeObjects(outline: Outline, relations: readonly PendingRelation[], nodes: NodePlaces, rows: PlaceRows) {
  for (const { id, tagged, first, count, isClosed } of outline.pending) {
    const points = listPoints(outline, nodes, first, count);
    const isStreet = tagged.street !== null && tagged.place === null && tagged.address === null;
    const middle = isStreet || !isClosed ? (points[points.length >> 1] ?? null) : findCentroid(points);
    addObject(rows, 'way', id, tagged, middle);
  }
  for (const { id, tagged, ways, node } of relations) {
    const points = ways.flatMap((way) => {
      const range = outline.wayNodes.get(way);
      return range ? listPoints(outline, nodes, range.first, range.count) : [];
    });
    addObject(rows, 'relation', id, tagged, findNode(outline, nodes, node) ?? findMiddle(points));
  }
}

function listPoints({ nodeIds, needed }: Outline, { lat, lon }: NodePlaces, first: number, count: number): UnitPoint[] {
  const points: UnitPoint[] = [];
  for (let i = first; i < first + count; i++) {
    const at = lowerBound(needed, nodeIds[i]!);
    if (lat[at] !== UNKNOWN) points.push({ lat: lat[at]!, lon: lon[at]! });
  }
  return points;
}

function findNode({ needed }: Outline, { lat, lon }: NodePlaces, id: number): UnitPoint | null {
  if (id === 0) return null;
  const at = lowerBound(needed, id);
  return needed[at] === id && lat[at] !== UNKNOWN ? { lat: lat[at]!, lon: lon[at]! } : null;
}

function checkPlaced(file: string, objects: number, { tallies }: PlaceRows): void {
  const unplaced = Object.values(tallies).reduce((sum, { refused }) => sum + (refused.get('no_coordinates') ?? 0), 0);
  if (objects < FEW_OBJECTS || unplaced <= objects * MAX_UNPLACED_SHARE) return;
  throw new ExternalError(
    'pbf_unreadable',
    `${file} lacks the nodes of ${unplaced} of ${objects} ways and relations: download it again`,
  );
}
