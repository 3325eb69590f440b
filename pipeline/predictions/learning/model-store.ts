import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { ExternalError } from '../../effects/external-error.ts';
import {
  findJson,
  findPointedId,
  listNames,
  syncFolder,
  writeFileAtomically,
  writeJsonAtomically,
} from '../../effects/files.ts';
import { assertMayPublish } from '../../effects/publication-guard.ts';
import { modelsFolder } from '../../lake/paths.ts';
import { isSourceId, type SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { readForest, writeForest } from '../../snapshots/transfer-model/forest.ts';
import { FEATURE_RULES_VERSION } from '../features/instant-rows.ts';
import type { Shift } from '../model/calibrate.ts';
import { type DelayModel, KIND_COUNT } from '../model/delay-model.ts';

const MAGIC = 'TGDELAYS';
const VERSION = 1;
const forests = ['low', 'median', 'high'] as const;

interface Header {
  readonly magic: string;
  readonly version: number;
  readonly columns: readonly string[];
  readonly gridSeconds: number;
  /** Bytes of each forest, in the order of `forests`. */
  readonly bytes: readonly number[];
}

/** Serialises the model: a JSON header line, then its three forests. */
export function writeDelayModel(model: DelayModel): Uint8Array {
  const parts = forests.map((name) => writeForest(model[name]));
  const { columns, gridSeconds } = model;
  const header: Header = {
    magic: MAGIC,
    version: VERSION,
    columns,
    gridSeconds,
    bytes: parts.map(({ length }) => length),
  };
  const line = new TextEncoder().encode(`${JSON.stringify(header)}\n`);
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, line.length));
  bytes.set(line);
  let offset = line.length;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** @throws Error when the bytes are not a complete model of this version */
export function readDelayModel(bytes: Uint8Array): DelayModel {
  const end = bytes.indexOf(10);
  const { columns, gridSeconds, bytes: lengths } = readHeader(bytes.subarray(0, Math.max(0, end)));
  let offset = end + 1;
  const [low, median, high] = lengths.map((length) => {
    offset += length;
    return readForest(bytes.subarray(offset - length, offset));
  });
  if (offset !== bytes.length || !low || !median || !high)
    throw new Error('the delay model is truncated or has trailing bytes');
  for (const { columnCount } of [low, median, high]) {
    if (columnCount !== columns.length) throw new Error('a forest of the model was learnt from other columns');
  }
  return { columns, gridSeconds, low, median, high };
}

function readHeader(line: Uint8Array): Header {
  let header: Partial<Header>;
  try {
    header = JSON.parse(new TextDecoder().decode(line)) as Partial<Header>;
  } catch (error) {
    throw new Error('not a delay model', { cause: error });
  }
  if (header.magic !== MAGIC || header.version !== VERSION) throw new Error(`not a delay model of version ${VERSION}`);
  return header as Header;
}

const DELAY_FILE = 'model.bin';
const TRANSFER_FILE = 'transfers.bin';

/** Models that are kept, with the current one: a process that has just read the pointer must still find the folder. */
const KEPT_MODELS = 5;

/** A model that is or was in use: its origin, its accuracy, and the shifts of its intervals. */
export interface ModelManifest {
  readonly id: string;
  readonly sourceId: SourceId;
  /** Last service date that was used; the intervals are calibrated on the days up to it. */
  readonly lastDay: ServiceDate;
  /** Last service date of the training data of its trees; before `lastDay` if the trees are older. */
  readonly learntUntil: ServiceDate;
  readonly trainedAt: string;
  /** Of the features, see `FeatureManifest.hash`. */
  readonly featuresHash: string;
  /** `FEATURE_RULES_VERSION` of the features; absent in manifests of older versions. */
  readonly featureRules?: number;
  /** Of the file of the trees; SHA-256. */
  readonly modelHash: string;
  readonly learntPairs: number;
  /** Shifts of the ends of intervals, by kind of pair, see `kindOfPair`. */
  readonly shifts: readonly Shift[];
  readonly comparison: ModelComparison;
  /** Of transfers between its trips; null where too few were observed, absent in manifests of older versions. */
  readonly transfers?: TransferManifest | null;
}

/** A model of transfers, published with the delay model on whose predictions it was trained. */
export interface TransferManifest {
  /** Of the file of the model; SHA-256. */
  readonly hash: string;
  readonly learntCases: number;
  /** Share of them in which the transfer was made. */
  readonly held: number;
}

/** Comparison on the last days, on which no model was trained. Mean absolute errors in seconds. */
export interface ModelComparison {
  readonly pairs: number;
  readonly persistence: number;
  readonly trained: number;
  /** The previous model; null without a previous model that fits the features. */
  readonly before: number | null;
  /** Share of arrivals within the interval, with shifts fitted to these same days. */
  readonly covered: number;
  readonly kept: 'trained' | 'before';
}

/** A model loaded for predicting. */
export interface StoredModel {
  readonly manifest: ModelManifest;
  readonly model: DelayModel;
}

/**
 * Publishes a model: its folder is written aside and renamed; the pointer moves last.
 * @returns its manifest, named by day and content
 */
export async function publishModel(
  dataDir: string,
  files: { readonly delays: Uint8Array; readonly transfers: Uint8Array | null },
  facts: Omit<ModelManifest, 'id' | 'modelHash' | 'featureRules' | 'transfers'> & {
    readonly transfers: Omit<TransferManifest, 'hash'> | null;
  },
): Promise<ModelManifest> {
  const modelHash = hashBytes(files.delays);
  const transfers = files.transfers && facts.transfers && { ...facts.transfers, hash: hashBytes(files.transfers) };
  const content = createHash('sha256')
    .update(modelHash)
    .update(JSON.stringify([facts.shifts, transfers?.hash]))
    .digest('hex');
  const id = `${facts.lastDay}-${content.slice(0, 8)}`;
  const manifest = { ...facts, featureRules: FEATURE_RULES_VERSION, transfers, id, modelHash };
  const folder = sourceFolder(dataDir, facts.sourceId);
  const [place, aside] = [path.join(folder, manifest.id), path.join(folder, `${manifest.id}.new`)];
  await rm(aside, { recursive: true, force: true });
  await mkdir(aside, { recursive: true });
  await writeFileAtomically(path.join(aside, DELAY_FILE), files.delays);
  if (files.transfers) await writeFileAtomically(path.join(aside, TRANSFER_FILE), files.transfers);
  await writeJsonAtomically(path.join(aside, 'manifest.json'), manifest);
  await assertMayPublish();
  // The name contains the hash of the content, so an existing folder is the same model, perhaps of another run of the
  // job.
  await rm(place, { recursive: true, force: true });
  await rename(aside, place);
  await syncFolder(folder);
  await writeJsonAtomically(path.join(folder, 'current.json'), { id: manifest.id });
  await dropOldModels(folder, manifest.id);
  return manifest;
}

/** @returns null when no model of the source was ever published, or only one of features with other rules */
export async function findCurrentModel(dataDir: string, source: SourceId): Promise<ModelManifest | null> {
  const folder = sourceFolder(dataDir, source);
  const id = await findPointedId(path.join(folder, 'current.json'));
  const manifest = id === null ? null : await findModel(dataDir, source, id);
  return manifest?.featureRules === FEATURE_RULES_VERSION ? manifest : null;
}

/** @returns null for a deleted model, or whose manifest is damaged */
export async function findModel(dataDir: string, source: SourceId, id: string): Promise<ModelManifest | null> {
  const manifest = await findJson<ModelManifest>(path.join(sourceFolder(dataDir, source), id, 'manifest.json'));
  return manifest?.id === id && Array.isArray(manifest.shifts) ? manifest : null;
}

/** Sources that have a model, by name. */
export async function listModelSources(dataDir: string): Promise<SourceId[]> {
  const sources: SourceId[] = [];
  for (const name of (await listNames(modelsFolder(dataDir))).sort()) {
    const source = name.replace(/^source=/, '');
    if (isSourceId(source) && (await findCurrentModel(dataDir, source))) sources.push(source);
  }
  return sources;
}

/** @throws ExternalError `model_damaged` when its file differs from the published one */
export async function readModel(dataDir: string, manifest: ModelManifest): Promise<StoredModel> {
  const bytes = await readModelBytes(dataDir, manifest, DELAY_FILE, manifest.modelHash);
  if (manifest.shifts.length !== KIND_COUNT) {
    throw new ExternalError('model_damaged', `model ${manifest.id} is of another version: run train-predictions`);
  }
  return { manifest, model: readDelayModel(bytes) };
}

/**
 * The model of transfers, serialised.
 * @returns null for a model without one
 * @throws ExternalError `model_damaged`
 */
export async function readTransferBytes(dataDir: string, manifest: ModelManifest): Promise<Uint8Array | null> {
  const { transfers } = manifest;
  return transfers ? readModelBytes(dataDir, manifest, TRANSFER_FILE, transfers.hash) : null;
}

/** @throws ExternalError `model_damaged` */
async function readModelBytes(
  dataDir: string,
  { sourceId, id }: ModelManifest,
  name: string,
  hash: string,
): Promise<Uint8Array> {
  const bytes = await readFile(path.join(sourceFolder(dataDir, sourceId), id, name));
  if (hashBytes(bytes) === hash) return bytes;
  throw new ExternalError('model_damaged', `model ${id} of ${sourceId} was damaged: run train-predictions --force`);
}

function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function sourceFolder(dataDir: string, source: SourceId): string {
  return path.join(modelsFolder(dataDir), `source=${source}`);
}

/** Sorts by name, which begins with the day. */
async function dropOldModels(folder: string, current: string): Promise<void> {
  const names = (await listNames(folder)).filter((name) => name !== 'current.json' && name !== current).sort();
  const isLeftOver = (name: string) => name.endsWith('.new');
  const tooMany = names.filter((name) => !isLeftOver(name)).slice(0, -(KEPT_MODELS - 1));
  for (const name of [...names.filter(isLeftOver), ...tooMany]) {
    await rm(path.join(folder, name), { recursive: true, force: true });
  }
}
