import type { Duckdb } from '../../effects/duckdb.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import { UnfitWindowError } from '../model/share-out-days.ts';
import { type FeatureManifest, findFeatureManifest, hashLearningDays, publishFeatures } from './feature-store.ts';
import { listLearningDays } from './learning-days.ts';
import { makeFeatures } from './make-features.ts';
import { loadRecordedTrips } from './recorded-trips.ts';

/** Result for one source. */
export type FeatureOutcome =
  | { readonly kind: 'built' | 'unchanged'; readonly manifest: FeatureManifest }
  | { readonly kind: 'due'; readonly days: number }
  /** The record does not suffice to learn from. */
  | { readonly kind: 'unfit'; readonly reason: string };

export interface FeatureRequest {
  readonly dataDir: string;
  readonly source: SourceId;
  /** The last service date that is used; null: the newest. */
  readonly lastDay: ServiceDate | null;
  /** Rebuilds also when nothing has changed. */
  readonly isForced: boolean;
  /** Only reports whether there is something to do. */
  readonly isDryRun: boolean;
  readonly builtAt: string;
}

/** Builds the features of a source from its newest stop events, unless they are current. */
export async function buildSourceFeatures(
  db: Duckdb,
  folder: string,
  { dataDir, source, lastDay, isForced, isDryRun, builtAt }: FeatureRequest,
): Promise<FeatureOutcome> {
  const days = await listLearningDays(dataDir, source, lastDay);
  if (days.length === 0) return { kind: 'unfit', reason: 'nothing was observed' };
  const hash = hashLearningDays(days);
  const before = await findFeatureManifest(dataDir, source);
  if (before?.hash === hash && !isForced) return { kind: 'unchanged', manifest: before };
  if (isDryRun) return { kind: 'due', days: days.length };
  try {
    const { table, trips, implausible, forecasts } = await loadRecordedTrips(db, dataDir, source, days, true);
    const set = makeFeatures(table, days, forecasts);
    const facts = {
      sourceId: source,
      firstDay: days[0]!.serviceDate,
      lastDay: days.at(-1)!.serviceDate,
      days: days.length,
      hash,
      implausible,
      builtAt,
    };
    const manifest = await publishFeatures(db, { dataDir, folder, set, trips, facts });
    return { kind: 'built', manifest };
  } catch (error) {
    if (error instanceof UnfitWindowError) return { kind: 'unfit', reason: error.message };
    throw error;
  }
}
