import path from 'node:path';
import { findJson, listNames } from '../../effects/files.ts';
import { measuredDayFile } from '../../lake/paths.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ServiceDate } from '../../model/service-time.ts';
import type { UnitMetrics } from './build-prediction-metrics.ts';

/** Sets of pairs that are measured: all with a prediction, or those that also have a forecast of the source. */
export const pairGroups = ['all', 'toldBySource'] as const;
export type PairGroup = (typeof pairGroups)[number];

/** Accuracy of the predictions of one source on one day. */
export interface MeasuredDay {
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
  /** Hash of all inputs of the metrics. */
  readonly inputHash: string;
  readonly figures: readonly (UnitMetrics & { readonly pairsOf: PairGroup })[];
  readonly measuredAt: string;
}

/** @returns null for a day without metrics */
export async function findMeasuredDay(
  dataDir: string,
  source: SourceId,
  serviceDate: ServiceDate,
): Promise<MeasuredDay | null> {
  return findJson<MeasuredDay>(measuredDayFile(dataDir, source, serviceDate));
}

/** The newest days of a source with metrics, the newest first; damaged ones are skipped. */
export async function listMeasuredDays(dataDir: string, source: SourceId, limit: number): Promise<MeasuredDay[]> {
  const folder = path.dirname(measuredDayFile(dataDir, source, '2000-01-01' as ServiceDate));
  const names = (await listNames(folder)).sort().slice(-limit).reverse();
  const days = await Promise.all(names.map((name) => findJson<MeasuredDay>(path.join(folder, name))));
  return days.filter((day): day is MeasuredDay => Array.isArray(day?.figures));
}
