import path from 'node:path';
import type { FeedVersion, SourceId } from '../model/ids.ts';
import type { ServiceDate } from '../model/service-time.ts';

/**
 * Paths below the data folder. No other room builds such a path.
 * - `gtfs`: the tables of a feed as published, every column, as text
 * - `timetable`: the same typed, checked and joined, and the refused rows
 */
export type LakeSchema = 'gtfs' | 'timetable';

export function lakeFolder(dataDir: string): string {
  return path.join(dataDir, 'lake');
}

/** Work in progress; on the same disk as the lake, so that a rename publishes it. */
export function workFolder(dataDir: string): string {
  return path.join(dataDir, 'tmp');
}

/** The bytes as received: zips of timetables, answers of realtime sources. */
export function rawRoot(dataDir: string): string {
  return path.join(lakeFolder(dataDir), 'raw');
}

export function rawFolder(dataDir: string, source: SourceId, fetchDate: ServiceDate): string {
  return path.join(rawRoot(dataDir), `source=${source}`, `fetch_date=${fetchDate}`);
}

export function tableFolder(dataDir: string, schema: LakeSchema, table: string): string {
  return path.join(lakeFolder(dataDir), schema, table);
}

/** The partition of a timetable table: one published version of one source. */
export function versionPartition(
  dataDir: string,
  schema: LakeSchema,
  table: string,
  source: SourceId,
  version: FeedVersion,
): string {
  return path.join(tableFolder(dataDir, schema, table), `source=${source}`, `feed_version=${version}`);
}

export function feedManifestFolder(dataDir: string, source: SourceId): string {
  return path.join(lakeFolder(dataDir), 'manifests', 'timetable', `source=${source}`);
}

/** Written last: a version without a manifest was never completed. */
export function feedManifestFile(dataDir: string, source: SourceId, version: FeedVersion): string {
  return path.join(feedManifestFolder(dataDir, source), `feed_version=${version}.json`);
}

/** Final observations of realtime sources: one folder per source and service date. */
export function observationsFolder(dataDir: string): string {
  return path.join(lakeFolder(dataDir), 'observations');
}

export function observationPartition(dataDir: string, source: SourceId, serviceDate: ServiceDate): string {
  return path.join(observationsFolder(dataDir), `source=${source}`, `service_date=${serviceDate}`);
}

/** Open observations, and those not yet in the lake: no table, so it is outside the lake. */
export function observationStateFolder(dataDir: string, source: SourceId): string {
  return path.join(dataDir, 'state', 'observations', `source=${source}`);
}

/** One row per call of a service day that is over: one folder per source and service date. */
export function stopEventsFolder(dataDir: string): string {
  return path.join(lakeFolder(dataDir), 'stop_events');
}

export function stopEventPartition(dataDir: string, source: SourceId, serviceDate: ServiceDate): string {
  return path.join(stopEventsFolder(dataDir), `source=${source}`, `service_date=${serviceDate}`);
}

export function stopEventManifestFolder(dataDir: string): string {
  return path.join(lakeFolder(dataDir), 'manifests', 'stop_events');
}

/** Written last: a day without a manifest was never completed, and counts as absent. */
export function stopEventManifestFile(dataDir: string, source: SourceId, serviceDate: ServiceDate): string {
  return path.join(stopEventManifestFolder(dataDir), `source=${source}`, `service_date=${serviceDate}.json`);
}

/** The former manifest of a day whose rows are being replaced; left behind by a build that was killed. */
export function replacedManifestFile(dataDir: string, source: SourceId, serviceDate: ServiceDate): string {
  return path.join(stopEventManifestFolder(dataDir), `source=${source}`, `service_date=${serviceDate}.replaced`);
}

/** Statistics over stop events: one folder per mart. */
export function martsFolder(dataDir: string): string {
  return path.join(dataDir, 'marts');
}

/** The rows of one mart and one month of service dates, `YYYY-MM`. */
export function martFile(dataDir: string, mart: string, month: string): string {
  return path.join(martsFolder(dataDir), mart, `month=${month}`, 'part-0.parquet');
}

/** Result of the last import of an external archive, by its file name. */
export function importRecordFile(dataDir: string, source: SourceId, archiveName: string): string {
  return path.join(lakeFolder(dataDir), 'manifests', 'imports', `source=${source}`, `${archiveName}.json`);
}

export function featuresFolder(dataDir: string): string {
  return path.join(lakeFolder(dataDir), 'prediction_features');
}

/** Training data of predictions: one folder per source. */
export function featurePartition(dataDir: string, source: SourceId): string {
  return path.join(featuresFolder(dataDir), `source=${source}`);
}

/** Written last: features without a manifest were never completed. */
export function featureManifestFile(dataDir: string, source: SourceId): string {
  return path.join(lakeFolder(dataDir), 'manifests', 'prediction_features', `source=${source}.json`);
}

/** Models that forecast delays: one folder per source, in it one per model, and `current.json`. */
export function modelsFolder(dataDir: string): string {
  return path.join(lakeFolder(dataDir), 'prediction_models');
}

/** Forecasts made while the service ran: one folder per source and service date. */
export function predictionsFolder(dataDir: string): string {
  return path.join(lakeFolder(dataDir), 'predictions');
}

export function predictionPartition(dataDir: string, source: SourceId, serviceDate: ServiceDate): string {
  return path.join(predictionsFolder(dataDir), `source=${source}`, `service_date=${serviceDate}`);
}

/** Compactions of predictions that are under way: no table, so it is outside the lake. */
export function predictionStateFolder(dataDir: string): string {
  return path.join(dataDir, 'state', 'predictions');
}

/** The tables of the lake and the marts as Apache Iceberg tables: `<namespace>/<table>`, each with its metadata and links to its files. */
export function icebergFolder(dataDir: string): string {
  return path.join(dataDir, 'iceberg');
}

/** Errors of a day's predictions. */
export function measuredDayFile(dataDir: string, source: SourceId, serviceDate: ServiceDate): string {
  const folder = path.join(lakeFolder(dataDir), 'manifests', 'prediction_days', `source=${source}`);
  return path.join(folder, `service_date=${serviceDate}.json`);
}
