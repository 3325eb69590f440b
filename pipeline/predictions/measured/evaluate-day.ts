import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Duckdb } from '../../effects/duckdb.ts';
import { findJson, listNames, writeJsonAtomically } from '../../effects/files.ts';
import { listObservationFiles } from '../../lake/observations/partition-files.ts';
import { measuredDayFile, predictionPartition, predictionsFolder } from '../../lake/paths.ts';
import { findStopEventManifest, stopEventFile } from '../../lake/stop-events/stop-event-manifest.ts';
import { isSourceId, type SourceId } from '../../model/ids.ts';
import { parseServiceDate, type ServiceDate } from '../../model/service-time.ts';
import { buildFigures, type UnitFigures } from '../build-evaluation.ts';
import { forecastUnits } from '../forecast-table.ts';
import { layouts } from '../layouts.ts';
import type { FigureRow } from './figure-tables.ts';
import { loadMeasuredPairs, type PairGroup, pairGroups, toForecastTable } from './measured-pairs.ts';
import { storeFigures } from './store-figures.ts';

/** How good the predictions of one source were on one day. */
export interface MeasuredDay {
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
  /** Of all that the figures are made of. */
  readonly inputHash: string;
  readonly figures: readonly (UnitFigures & { readonly pairsOf: PairGroup })[];
  readonly measuredAt: string;
}

export type MeasureOutcome = 'measured' | 'unchanged' | 'notOver' | 'due';

export interface MeasureRequest {
  readonly dataDir: string;
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
  readonly isForced: boolean;
  readonly isDryRun: boolean;
  readonly measuredAt: string;
}

/** Days on which something was forecast, by source, oldest first. */
export async function listPredictedDays(
  dataDir: string,
): Promise<{ readonly source: SourceId; readonly serviceDate: ServiceDate }[]> {
  const days = [];
  const folder = predictionsFolder(dataDir);
  for (const name of (await listNames(folder)).sort()) {
    const source = name.replace(/^source=/, '');
    if (!isSourceId(source)) continue;
    for (const one of (await listNames(path.join(folder, name))).sort()) {
      const serviceDate = parseServiceDate(one.replace(/^service_date=/, ''));
      if (serviceDate) days.push({ source, serviceDate });
    }
  }
  return days;
}

/** Measures what was forecast on a day by what came, once the day is over, and again when one of the two is other. */
export async function evaluateDay(db: Duckdb, folder: string, request: MeasureRequest): Promise<MeasureOutcome> {
  const { dataDir, source, serviceDate, isForced, isDryRun, measuredAt } = request;
  const stopEvents = await findStopEventManifest(dataDir, source, serviceDate);
  if (!stopEvents) return 'notOver';
  const partition = predictionPartition(dataDir, source, serviceDate);
  const names = (await readdir(partition)).filter((name) => name.endsWith('.parquet')).sort();
  if (names.length === 0) return 'notOver';
  const inputHash = createHash('sha256')
    .update(JSON.stringify([stopEvents.rowsHash, names]))
    .digest('hex')
    .slice(0, 32);
  const before = await findMeasuredDay(dataDir, source, serviceDate);
  if (before?.inputHash === inputHash && !isForced) return 'unchanged';
  if (isDryRun) return 'due';
  const pairs = await loadMeasuredPairs(db, {
    predictions: names.map((name) => path.join(partition, name)),
    stopEvents: stopEventFile(dataDir, source, serviceDate),
    observations: await listObservationFiles(dataDir, source, serviceDate),
  });
  const { implausible } = pairs;
  // What there is beside the pairs, a model's training says.
  const noModel = { learntPairs: 0, trees: 0, ablation: [] };
  const figures = pairGroups.flatMap((pairsOf) =>
    forecastUnits.map((unit) => {
      const table = toForecastTable(pairs, pairsOf, unit);
      return { ...buildFigures(layouts.pl_rail, { table, implausible, ...noModel }), pairsOf };
    }),
  );
  const day = { source, serviceDate, inputHash, figures, measuredAt };
  await storeFigures(db, dataDir, folder, 'prediction_daily', day, listErrorRows(day));
  await storeFigures(db, dataDir, folder, 'prediction_classes_daily', day, listClassRows(day));
  await writeJsonAtomically(measuredDayFile(dataDir, source, serviceDate), day satisfies MeasuredDay);
  return 'measured';
}

/** @returns null for a day that was not measured */
export async function findMeasuredDay(
  dataDir: string,
  source: SourceId,
  serviceDate: ServiceDate,
): Promise<MeasuredDay | null> {
  return findJson<MeasuredDay>(measuredDayFile(dataDir, source, serviceDate));
}

/** The newest day of a source that was measured. */
export async function findLastMeasuredDay(dataDir: string, source: SourceId): Promise<MeasuredDay | null> {
  const example = measuredDayFile(dataDir, source, '2000-01-01' as ServiceDate);
  const names = (await listNames(path.dirname(example))).sort();
  const newest = names.at(-1);
  const day = newest === undefined ? null : await findJson<MeasuredDay>(path.join(path.dirname(example), newest));
  return Array.isArray(day?.figures) ? day : null;
}

function listErrorRows({ source, serviceDate, figures }: MeasuredDay): FigureRow[] {
  return figures.flatMap(({ pairsOf, unit, errors, intervals }) =>
    errors.flatMap(({ slice, pairs, meanError, againstPersistence }) =>
      Object.keys(meanError).map((forecaster): FigureRow => {
        const interval = intervals.find((one) => one.slice === slice && one.forecaster === forecaster);
        return {
          service_date: serviceDate,
          source,
          pairs_of: pairsOf,
          unit,
          slice,
          forecaster,
          pairs,
          mean_error_seconds: meanError[forecaster] ?? null,
          against_persistence: againstPersistence[forecaster] ?? null,
          covered: interval?.covered ?? null,
          mean_width_seconds: interval?.meanWidth ?? null,
          winkler_seconds: interval?.winkler ?? null,
        };
      }),
    ),
  );
}

function listClassRows({ source, serviceDate, figures }: MeasuredDay): FigureRow[] {
  return figures.flatMap(({ pairsOf, unit, classes }) =>
    classes.map(
      ({ name, share, covered, within60, within120, within180 }): FigureRow => ({
        service_date: serviceDate,
        source,
        pairs_of: pairsOf,
        unit,
        confidence: name,
        share,
        covered,
        within_60: within60,
        within_120: within120,
        within_180: within180,
      }),
    ),
  );
}
