import { writeFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';
import protobuf from 'protobufjs/light.js';

interface OsmNode {
  readonly id: number;
  readonly lat: number;
  readonly lon: number;
  readonly tags: Tags;
}

export interface OsmWay {
  readonly id: number;
  readonly nodes: readonly number[];
  readonly tags: Tags;
}

export interface OsmRelation {
  readonly id: number;
  readonly ways: readonly number[];
  readonly tags: Tags;
}

export type Tags = Readonly<Record<string, string>>;

type Fields = Record<string, protobuf.IField>;

const message = (fields: Fields): protobuf.IType => ({ edition: 'proto2', fields });
const one = (type: string, id: number): protobuf.IField => ({ type, id, rule: 'required' });
const many = (type: string, id: number): protobuf.IField => ({ type, id, rule: 'repeated' });
/** A packed repeated field. */
const packed = (type: string, id: number): protobuf.IField => ({ ...many(type, id), options: { packed: true } });

/**
 * The fields of fileformat.proto and osmformat.proto that a small map needs.
 * @see OpenStreetMap wiki, "PBF Format"
 */
const root = protobuf.Root.fromJSON({
  nested: {
    BlobHeader: message({ type: one('string', 1), datasize: one('int32', 3) }),
    Blob: message({ raw: { type: 'bytes', id: 1 }, zlib_data: { type: 'bytes', id: 3 } }),
    HeaderBlock: message({ requiredFeatures: many('string', 4), optionalFeatures: many('string', 5) }),
    PrimitiveBlock: message({ stringtable: one('StringTable', 1), primitivegroup: many('PrimitiveGroup', 2) }),
    StringTable: message({ s: many('bytes', 1) }),
    PrimitiveGroup: message({
      nodes: many('Node', 1),
      dense: { type: 'DenseNodes', id: 2 },
      ways: many('Way', 3),
      relations: many('Relation', 4),
    }),
    DenseNodes: message({
      id: packed('sint64', 1),
      lat: packed('sint64', 8),
      lon: packed('sint64', 9),
      keys_vals: packed('int32', 10),
    }),
    Relation: message({
      id: one('int64', 1),
      keys: packed('uint32', 2),
      vals: packed('uint32', 3),
      roles_sid: packed('int32', 8),
      memids: packed('sint64', 9),
      types: packed('int32', 10),
    }),
    Node: message({
      id: one('sint64', 1),
      keys: packed('uint32', 2),
      vals: packed('uint32', 3),
      lat: one('sint64', 8),
      lon: one('sint64', 9),
    }),
    Way: message({
      id: one('int64', 1),
      keys: packed('uint32', 2),
      vals: packed('uint32', 3),
      refs: packed('sint64', 8),
    }),
  },
});

/** Coordinates are in units of 100 nanodegrees, the format's default. */
const UNITS_PER_DEGREE = 1e7;

interface PbfOptions {
  readonly relations?: readonly OsmRelation[];
  /** As published extracts are: nodes column by column, blocks compressed. */
  readonly isCompact?: boolean;
}

/** Writes a map as an OSM PBF file: nodes first, then ways and relations, as readers expect. */
export async function writeOsmPbf(
  file: string,
  nodes: readonly OsmNode[],
  ways: readonly OsmWay[],
  { relations = [], isCompact = false }: PbfOptions = {},
): Promise<void> {
  const requiredFeatures = ['OsmSchema-V0.6', ...(isCompact ? ['DenseNodes'] : [])];
  const header = { requiredFeatures, optionalFeatures: ['Sort.Type_then_ID'] };
  const pack = (content: Uint8Array) => packBlob('OSMData', content, isCompact);
  const blocks = [
    packBlob('OSMHeader', encode('HeaderBlock', header), isCompact),
    ...(nodes.length > 0 ? [pack(isCompact ? encodeDenseNodes(nodes) : encodeNodes(nodes))] : []),
    ...(ways.length > 0 ? [pack(encodeWays(ways))] : []),
    ...(relations.length > 0 ? [pack(encodeRelations(relations))] : []),
  ];
  await writeFile(file, Buffer.concat(blocks));
}

function encode(type: string, value: object): Uint8Array {
  return root.lookupType(type).encode(value).finish();
}

function packBlob(type: string, content: Uint8Array, isCompact: boolean): Buffer {
  const blob = encode('Blob', isCompact ? { zlib_data: deflateSync(content) } : { raw: content });
  const header = encode('BlobHeader', { type, datasize: blob.length });
  const length = Buffer.alloc(4);
  length.writeUInt32BE(header.length);
  return Buffer.concat([length, header, blob]);
}

function encodeNodes(nodes: readonly OsmNode[]): Uint8Array {
  const texts = tableOfTexts();
  const encoded = nodes.map(({ id, lat, lon, tags }) => ({
    id,
    ...texts.refer(tags),
    lat: Math.round(lat * UNITS_PER_DEGREE),
    lon: Math.round(lon * UNITS_PER_DEGREE),
  }));
  return encode('PrimitiveBlock', { stringtable: texts.table(), primitivegroup: [{ nodes: encoded }] });
}

function encodeDenseNodes(nodes: readonly OsmNode[]): Uint8Array {
  const texts = tableOfTexts();
  const steps = (values: readonly number[]) => values.map((value, i) => value - (values[i - 1] ?? 0));
  const dense = {
    id: steps(nodes.map(({ id }) => id)),
    lat: steps(nodes.map(({ lat }) => Math.round(lat * UNITS_PER_DEGREE))),
    lon: steps(nodes.map(({ lon }) => Math.round(lon * UNITS_PER_DEGREE))),
    keys_vals: nodes.flatMap(({ tags }) => {
      const { keys, vals } = texts.refer(tags);
      return [...keys.flatMap((key, i) => [key, vals[i]!]), 0];
    }),
  };
  return encode('PrimitiveBlock', { stringtable: texts.table(), primitivegroup: [{ dense }] });
}

function encodeRelations(relations: readonly OsmRelation[]): Uint8Array {
  const texts = tableOfTexts();
  const encoded = relations.map(({ id, ways, tags }) => ({
    id,
    ...texts.refer(tags),
    roles_sid: ways.map(() => texts.refer({ outer: '' }).keys[0]!),
    memids: ways.map((way, i) => way - (ways[i - 1] ?? 0)),
    types: ways.map(() => 1),
  }));
  return encode('PrimitiveBlock', { stringtable: texts.table(), primitivegroup: [{ relations: encoded }] });
}

function encodeWays(ways: readonly OsmWay[]): Uint8Array {
  const texts = tableOfTexts();
  const encoded = ways.map(({ id, nodes, tags }) => ({
    id,
    ...texts.refer(tags),
    refs: nodes.map((node, i) => node - (nodes[i - 1] ?? 0)),
  }));
  return encode('PrimitiveBlock', { stringtable: texts.table(), primitivegroup: [{ ways: encoded }] });
}

/** Texts by number, beginning with 1: the first entry of the string table is empty. */
function tableOfTexts() {
  const numbers = new Map<string, number>();
  const numberOf = (text: string) => {
    if (!numbers.has(text)) numbers.set(text, numbers.size + 1);
    return numbers.get(text)!;
  };
  return {
    refer: (tags: Tags) => ({ keys: Object.keys(tags).map(numberOf), vals: Object.values(tags).map(numberOf) }),
    table: () => ({ s: ['', ...numbers.keys()].map((text) => Buffer.from(text, 'utf8')) }),
  };
}
