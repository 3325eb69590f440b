import { PackedNumbers } from './packed-numbers.ts';
import { readFields } from './pbf-blocks.ts';

export type Tags = ReadonlyMap<string, string>;

/** Receives the objects of a block; those without a tag of interest have `null`. */
export interface BlockVisitor {
  /** Keys of the tags of interest; other objects are skipped without reading their tags. */
  readonly keys: readonly string[];
  /** Coordinates are in ten millionths of a degree. */
  node?(id: number, lat: number, lon: number, tags: Tags | null): void;
  way?(id: number, tags: Tags, nodes: PackedNumbers): void;
  relation?(id: number, tags: Tags, members: readonly Member[]): void;
  /** Ways and relations without a tag of interest that are needed nevertheless; their tags are then empty. */
  needsWay?(id: number): boolean;
}

interface Member {
  readonly type: 'node' | 'way' | 'relation';
  readonly id: number;
  readonly role: string;
}

/** @returns the ids of the ways that outline a multipolygon */
export function listOuterWays(members: readonly Member[]): number[] {
  const outer = members.filter(({ type, role }) => type === 'way' && (role === 'outer' || role === ''));
  return outer.map(({ id }) => id);
}

const memberTypes = ['node', 'way', 'relation'] as const;
const NO_TAGS: Tags = new Map();

const UNITS_PER_NANODEGREE = 0.01;

interface BlockContext {
  readonly file: string;
  readonly texts: readonly Uint8Array[];
  readonly decoded: (string | undefined)[];
  /** By text: 1 if it is a key of interest. */
  readonly isInteresting: Uint8Array;
  readonly granularity: number;
  readonly latOffset: number;
  readonly lonOffset: number;
}

/** Which kinds of objects a block has, found without decoding them. */
export function listObjectKinds(
  block: Uint8Array,
  file: string,
): { nodes: boolean; ways: boolean; relations: boolean } {
  const kinds = { nodes: false, ways: false, relations: false };
  readFields(block, file, (field, reader, wire) => {
    if (field !== 2) return reader.skipType(wire);
    readFields(reader.bytes(), file, (group, inner, innerWire) => {
      if (group === 1 || group === 2) kinds.nodes = true;
      else if (group === 3) kinds.ways = true;
      else if (group === 4) kinds.relations = true;
      inner.skipType(innerWire);
    });
  });
  return kinds;
}

/**
 * Decodes a block.
 * @throws ExternalError `pbf_unreadable`
 */
export function decodeBlock(block: Uint8Array, file: string, visitor: BlockVisitor): void {
  const groups: Uint8Array[] = [];
  let texts: Uint8Array[] = [];
  let [granularity, latOffset, lonOffset] = [100, 0, 0];
  readFields(block, file, (field, reader, wire) => {
    if (field === 1) texts = readTexts(reader.bytes(), file);
    else if (field === 2) groups.push(reader.bytes());
    else if (field === 17) granularity = reader.int32();
    else if (field === 19) latOffset = Number(reader.int64());
    else if (field === 20) lonOffset = Number(reader.int64());
    else reader.skipType(wire);
  });
  const context: BlockContext = {
    file,
    texts,
    decoded: new Array(texts.length),
    isInteresting: markInteresting(texts, visitor.keys),
    granularity,
    latOffset,
    lonOffset,
  };
  for (const group of groups) decodeGroup(context, group, visitor);
}

function readTexts(table: Uint8Array, file: string): Uint8Array[] {
  const texts: Uint8Array[] = [];
  readFields(table, file, (field, reader, wire) => {
    if (field === 1) texts.push(reader.bytes());
    else reader.skipType(wire);
  });
  return texts;
}

function markInteresting(texts: readonly Uint8Array[], keys: readonly string[]): Uint8Array {
  const wanted = keys.map((key) => Buffer.from(key));
  return Uint8Array.from(texts, (text) => (wanted.some((key) => key.equals(text)) ? 1 : 0));
}

function textAt(context: BlockContext, row: number): string {
  const known = context.decoded[row];
  if (known !== undefined) return known;
  const bytes = context.texts[row];
  if (bytes === undefined) throw new RangeError('a tag refers to no text');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  context.decoded[row] = text;
  return text;
}

function decodeGroup(context: BlockContext, group: Uint8Array, visitor: BlockVisitor): void {
  readFields(group, context.file, (field, reader, wire) => {
    if (field === 1 && visitor.node) decodeNode(context, reader.bytes(), visitor.node);
    else if (field === 2 && visitor.node) decodeDenseNodes(context, reader.bytes(), visitor.node);
    else if (field === 3 && visitor.way) decodeWay(context, reader.bytes(), visitor.way, visitor.needsWay);
    else if (field === 4 && visitor.relation) decodeRelation(context, reader.bytes(), visitor.relation);
    else reader.skipType(wire);
  });
}

function toUnits({ granularity }: BlockContext, offset: number, value: number): number {
  return Math.round((offset + granularity * value) * UNITS_PER_NANODEGREE);
}

type Lists = (PackedNumbers | undefined)[];

const NOTHING = new Uint8Array(0);

/** The packed lists of a message by field, and its id, which is an `int64` or, of a node, a `sint64`. */
function readObject(context: BlockContext, bytes: Uint8Array): { id: PackedNumbers; lists: Lists } {
  const lists: Lists = [];
  let id = new PackedNumbers(NOTHING);
  readFields(bytes, context.file, (field, reader, wire) => {
    if (wire === 2) lists[field] = new PackedNumbers(reader.bytes());
    else {
      const from = reader.pos;
      reader.skipType(wire);
      const number = new PackedNumbers(bytes.subarray(from, reader.pos));
      if (field === 1) id = number;
      else lists[field] = number;
    }
  });
  return { id, lists };
}

/** @returns null without a tag of interest */
function readTags(context: BlockContext, { lists }: { readonly lists: Lists }): Tags | null {
  const [keys, values] = [lists[2], lists[3]];
  if (!keys || !values) return null;
  const tags = new Map<string, string>();
  let isWanted = false;
  while (!keys.isAtEnd()) {
    const key = keys.readUnsigned();
    isWanted ||= context.isInteresting[key] === 1;
    tags.set(textAt(context, key), textAt(context, values.readUnsigned()));
  }
  return isWanted ? tags : null;
}

function decodeNode(context: BlockContext, bytes: Uint8Array, visit: NonNullable<BlockVisitor['node']>): void {
  const object = readObject(context, bytes);
  const [lat, lon] = [object.lists[8]!.readSigned(), object.lists[9]!.readSigned()];
  visit(
    object.id.readSigned(),
    toUnits(context, context.latOffset, lat),
    toUnits(context, context.lonOffset, lon),
    readTags(context, object),
  );
}

function decodeDenseNodes(context: BlockContext, bytes: Uint8Array, visit: NonNullable<BlockVisitor['node']>): void {
  const { lists } = readObject(context, bytes);
  const ids = lists[1] ?? new PackedNumbers(NOTHING);
  const [lats, lons, tags] = [lists[8]!, lists[9]!, lists[10] ?? null];
  let [id, lat, lon] = [0, 0, 0];
  while (!ids.isAtEnd()) {
    id += ids.readSigned();
    lat += lats.readSigned();
    lon += lons.readSigned();
    const own = tags && readDenseTags(context, tags);
    visit(id, toUnits(context, context.latOffset, lat), toUnits(context, context.lonOffset, lon), own);
  }
}

/** Key and value in turn, until a zero. Most nodes have none. */
function readDenseTags(context: BlockContext, list: PackedNumbers): Tags | null {
  let tags: Map<string, string> | null = null;
  let isWanted = false;
  for (let key = list.readUnsigned(); key !== 0; key = list.isAtEnd() ? 0 : list.readUnsigned()) {
    isWanted ||= context.isInteresting[key] === 1;
    tags ??= new Map();
    tags.set(textAt(context, key), textAt(context, list.readUnsigned()));
  }
  return isWanted ? tags : null;
}

function decodeWay(
  context: BlockContext,
  bytes: Uint8Array,
  visit: NonNullable<BlockVisitor['way']>,
  needsWay: BlockVisitor['needsWay'],
): void {
  const object = readObject(context, bytes);
  const id = object.id.readUnsigned();
  const tags = readTags(context, object);
  if (tags === null && !needsWay?.(id)) return;
  visit(id, tags ?? NO_TAGS, object.lists[8] ?? new PackedNumbers(NOTHING));
}

function decodeRelation(context: BlockContext, bytes: Uint8Array, visit: NonNullable<BlockVisitor['relation']>): void {
  const object = readObject(context, bytes);
  const tags = readTags(context, object);
  if (tags === null) return;
  const [roles, ids, types] = [object.lists[8], object.lists[9], object.lists[10]];
  const members: Member[] = [];
  let id = 0;
  while (roles && ids && types && !ids.isAtEnd()) {
    id += ids.readSigned();
    const role = textAt(context, roles.readUnsigned());
    members.push({ type: memberTypes[types.readUnsigned()] ?? 'node', id, role });
  }
  visit(object.id.readUnsigned(), tags, members);
}
