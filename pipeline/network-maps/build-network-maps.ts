import { createHash } from 'node:crypto';
import type { Log } from '../effects/log.ts';
import { serveThread } from '../effects/threads.ts';
import {
  findCurrentMapsId,
  MAPS_FORMAT_VERSION,
  type MapsManifest,
  readMapsManifest,
} from '../snapshots/network-map-files.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../snapshots/timetable-files.ts';
import { type DrawnFile, drawTimetable, listFeedsInForce, readDrawingInput } from './draw-timetable.ts';
import type { MapLanguage } from './drawing/map-texts.ts';
import { type OperatorMaps, readOperatorMaps } from './operator-maps.ts';
import { publishMaps } from './publish-maps.ts';

/** Raise it with every change of how maps are drawn. */
const DRAWING_RULES_VERSION = 1;

export interface MapsRequest {
  readonly dataDir: string;
  readonly language: MapLanguage;
  /** Folder with the operator's maps; null if not configured. */
  readonly folder: string | null;
  readonly maxFileBytes: number;
  /** Days since 1970. */
  readonly day: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly isForced: boolean;
  readonly isDryRun: boolean;
}

export type MapsOutcome =
  | { readonly kind: 'no-timetable' }
  /** Of a dry run. */
  | { readonly kind: 'due' }
  | { readonly kind: 'unchanged' | 'published'; readonly manifest: MapsManifest };

/** Draws the maps of the published timetable, adds those of the operator and publishes all. Blocks its thread. */
export async function buildNetworkMaps(
  request: MapsRequest,
  { log }: { readonly log: Log },
  signal?: AbortSignal,
): Promise<MapsOutcome> {
  const { dataDir, language, folder, maxFileBytes, day, createdAt } = request;
  const timetableId = await findCurrentTimetableId(dataDir);
  if (timetableId === null) return { kind: 'no-timetable' };
  const snapshot = await readTimetableSnapshot(dataDir, timetableId);
  const input = await readDrawingInput(dataDir, language, day);
  const own: OperatorMaps = folder === null ? { maps: [], refused: [] } : await readOperatorMaps(folder, maxFileBytes);
  const id = nameMaps([
    timetableId,
    listFeedsInForce(snapshot.tables, day),
    language,
    input.credits,
    input.towns,
    own.maps.map(({ map }) => map),
    own.refused,
  ]);
  const published = request.isForced ? null : await findPublished(dataDir, id);
  if (published) return { kind: 'unchanged', manifest: published };
  if (request.isDryRun) return { kind: 'due' };
  for (const reason of own.refused) log.warn(`network maps: ${reason}`);
  const files: { readonly map: DrawnFile['map']; readonly content: Buffer }[] = [...own.maps];
  for (const drawn of drawTimetable(snapshot, input)) {
    signal?.throwIfAborted();
    const { map, stations, unlabelled } = drawn;
    const without = unlabelled > 0 ? `, ${unlabelled} of them without a name` : '';
    log.info(`network maps: "${map.title}", ${stations} stations${without}, ${map.layout}`);
    files.push(drawn);
    // Drawing takes seconds; a stop signal must be handled in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { kind: 'published', manifest: await publishMaps(dataDir, { id, createdAt, files, refused: own.refused }) };
}

function nameMaps(inputs: readonly unknown[]): string {
  const rules = [MAPS_FORMAT_VERSION, DRAWING_RULES_VERSION];
  return createHash('sha256')
    .update(JSON.stringify([rules, inputs]))
    .digest('hex')
    .slice(0, 16);
}

async function findPublished(dataDir: string, id: string): Promise<MapsManifest | null> {
  if ((await findCurrentMapsId(dataDir)) !== id) return null;
  // Draw a damaged one again.
  return readMapsManifest(dataDir, id).catch(() => null);
}

/** A thread, because drawing a country takes many seconds and must not delay requests. */
serveThread(import.meta.url, (request: MapsRequest, { effects, signal }) => buildNetworkMaps(request, effects, signal));
