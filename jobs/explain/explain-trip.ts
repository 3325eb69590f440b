import type { ConfiguredSource } from '../../pipeline/config/configured-source.ts';
import type { Config } from '../../pipeline/config/load-config.ts';
import { type Duckdb, openDuckdb } from '../../pipeline/effects/duckdb.ts';
import type { Effects } from '../../pipeline/effects/effects.ts';
import {
  findStopEventManifest,
  listStopEventDays,
  type StopEventManifest,
} from '../../pipeline/history/stop-events/stop-event-manifest.ts';
import { listObservedDates, listObservedSources } from '../../pipeline/lake/observations/partition-files.ts';
import type { FeedVersion, SourceId } from '../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { findModel, type ModelManifest } from '../../pipeline/predictions/learning/model-store.ts';
import { openSources, type PolledSource } from '../../pipeline/realtime/polling/open-sources.ts';
import { type FeedManifest, findFeedManifest } from '../../pipeline/timetable/feed/feed-manifest.ts';
import {
  type ExplainedAnswer,
  findObservationRows,
  findPredictionRows,
  findPublishedCalls,
  findStopEventRows,
  type RequestedTrip,
  type Row,
  readMessage,
} from './find-trip-rows.ts';
import type { ScheduledRows } from './scheduled-trips.ts';

interface ExplainRequest {
  readonly config: Config;
  /** As configured, or those of the sample. */
  readonly realtime: readonly ConfiguredSource[];
  readonly trip: RequestedTrip;
  readonly date: ServiceDate;
  /** Id or name of a stop, its station, or a position; null: all calls. */
  readonly stop: string | null;
  /** The trip's calls in the published timetable, for a day that is not finalised; null if it has no such trip. */
  readonly findScheduled: () => Promise<ScheduledRows | null>;
  /** null: all. */
  readonly sourceIds: readonly SourceId[] | null;
  /** Maximum number of raw answers read per source. */
  readonly answerLimit: number;
}

/** The data behind the rows of one trip of one source. */
export interface ExplainedTrip {
  readonly source: SourceId;
  readonly serviceDate: ServiceDate;
  /** How the day was built; null: it is neither finalised nor imported. */
  readonly day: Pick<StopEventManifest, 'kind' | 'rulesVersion' | 'builtAt' | 'inputs'> | null;
  /** Of a day that is not finalised: as scheduled, if the published timetable has the trip. */
  readonly calls: readonly ExplainedCall[];
  /** Observations that belong to none of these rows. */
  readonly others: readonly Row[];
  /** Predictions of these calls made while the trip was under way, with their features. */
  readonly predictions: readonly Row[];
  /** Their models by name; null for one that was deleted. */
  readonly models: Readonly<Record<string, Pick<ModelManifest, 'lastDay' | 'learntPairs' | 'comparison'> | null>>;
  readonly answers: Readonly<Record<string, ExplainedAnswer>>;
  /** Number of raw answers beyond the limit. */
  readonly unreadAnswers: number;
  readonly timetables: readonly ExplainedTimetable[];
}

export interface ExplainedCall {
  readonly row: Row;
  /** The rule that produced the row. */
  readonly rule: string;
  readonly observations: readonly (Row & { readonly isDeciding: boolean })[];
  /** The call in the published timetable. */
  readonly published: Row | null;
}

interface ExplainedTimetable {
  readonly source: string;
  readonly version: string;
  /** Path below the lake; null where the version is no longer in it. */
  readonly file: string | null;
  readonly facts: FeedManifest['raw'] | null;
  readonly rulesVersion: number | null;
}

/** Collects the data behind a trip's rows, by source; empty where no source has the trip on that day. */
export async function explainTrip(request: ExplainRequest, effects: Effects): Promise<ExplainedTrip[]> {
  const { config, realtime, date, sourceIds } = request;
  const { dataDir, ingest } = config;
  const db = await openDuckdb({ memoryLimit: ingest.memoryLimit, threads: ingest.threads });
  try {
    const explained: ExplainedTrip[] = [];
    for (const source of await listSources(dataDir, date)) {
      if (sourceIds && !sourceIds.includes(source)) continue;
      const [polled = null] = await openSources(
        realtime.filter(({ id }) => id === source),
        effects,
      );
      const one = await explainSource(db, request, source, polled);
      if (one) explained.push(one);
    }
    return explained.length > 0 || sourceIds ? explained : await explainScheduled(db, request);
  } finally {
    db.close();
  }
}

/** The timetable of a trip that no source has reported; empty where it has no such trip or the day is finalised. */
async function explainScheduled(db: Duckdb, request: ExplainRequest): Promise<ExplainedTrip[]> {
  const { config, date, stop } = request;
  const isFinalised = (await listStopEventDays(config.dataDir)).some(({ serviceDate }) => serviceDate === date);
  const scheduled = isFinalised ? null : await request.findScheduled();
  const wanted = (scheduled?.rows ?? []).filter((row) => stop === null || isAt(row, stop));
  if (!scheduled || wanted.length === 0) return [];
  return [
    {
      source: scheduled.source as SourceId,
      serviceDate: date,
      day: null,
      calls: await Promise.all(wanted.map((row) => explainCall(db, config.dataDir, row, []))),
      others: [],
      predictions: [],
      models: {},
      answers: {},
      unreadAnswers: 0,
      timetables: await explainTimetables(config.dataDir, wanted),
    },
  ];
}

async function listSources(dataDir: string, date: ServiceDate): Promise<SourceId[]> {
  const finished = (await listStopEventDays(dataDir)).filter(({ serviceDate }) => serviceDate === date);
  const sources = new Set(finished.map(({ source }) => source));
  for (const source of await listObservedSources(dataDir)) {
    if ((await listObservedDates(dataDir, source)).includes(date)) sources.add(source);
  }
  return [...sources].sort();
}

async function explainSource(
  db: Duckdb,
  { config, trip, date, stop, answerLimit, findScheduled }: ExplainRequest,
  source: SourceId,
  polled: PolledSource | null,
): Promise<ExplainedTrip | null> {
  const { dataDir } = config;
  const manifest = await findStopEventManifest(dataDir, source, date);
  const scheduled = manifest ? null : await findScheduled();
  const rows = scheduled?.rows ?? (await findStopEventRows(db, dataDir, source, date, trip));
  // Observations name a trip of a frequency differently; its key is the same.
  const key = rows[0]?.trip_key ?? null;
  const requested: RequestedTrip = key === null ? trip : { key: BigInt(key as string | number) };
  const observations = await findObservationRows(db, dataDir, source, date, requested);
  const wanted = rows.filter((row) => stop === null || isAt(row, stop));
  const reported = observations.filter(
    (row) => stop === null || wanted.some((call) => isOf(row, call)) || isAt(row, stop),
  );
  if (wanted.length + reported.length === 0 || (scheduled && reported.length === 0)) return null;
  const rawIds = [
    ...new Set([...reported, ...wanted].map(({ raw_id }) => raw_id).filter((id) => id !== null && id !== '')),
  ];
  const answers: Record<string, ExplainedAnswer> = {};
  for (const rawId of rawIds.slice(0, answerLimit).map(String)) {
    const brought = reported.filter((row) => row.raw_id === rawId);
    answers[rawId] = await readMessage(dataDir, rawId, polled, brought);
  }
  const predictions = await findPredictions(db, dataDir, source, date, wanted.length > 0 ? wanted : reported);
  return {
    source,
    serviceDate: date,
    day: manifest && (({ kind, rulesVersion, builtAt, inputs }) => ({ kind, rulesVersion, builtAt, inputs }))(manifest),
    calls: await Promise.all(wanted.map((row) => explainCall(db, dataDir, row, reported))),
    others: reported.filter((row) => !wanted.some((call) => isOf(row, call))),
    predictions,
    models: await findModels(dataDir, source, predictions),
    answers,
    unreadAnswers: Math.max(0, rawIds.length - answerLimit),
    timetables: await explainTimetables(dataDir, wanted),
  };
}

/** Predictions for the positions of these rows, by their trip ids. */
async function findPredictions(
  db: Duckdb,
  dataDir: string,
  source: SourceId,
  date: ServiceDate,
  calls: readonly Row[],
): Promise<Row[]> {
  const positions = new Set(calls.map(({ position }) => position));
  const ids = new Set(calls.map(({ trip_id }) => String(trip_id)));
  const rows: Row[] = [];
  for (const id of ids) rows.push(...(await findPredictionRows(db, dataDir, source, date, id)));
  return rows.filter(({ position }) => positions.has(position ?? null));
}

async function findModels(
  dataDir: string,
  source: SourceId,
  predictions: readonly Row[],
): Promise<ExplainedTrip['models']> {
  const models: Record<string, ExplainedTrip['models'][string]> = {};
  for (const id of new Set(predictions.map(({ model }) => String(model)))) {
    const manifest = await findModel(dataDir, source, id);
    models[id] =
      manifest && (({ lastDay, learntPairs, comparison }) => ({ lastDay, learntPairs, comparison }))(manifest);
  }
  return models;
}

/** Whether a row is at the requested stop. */
function isAt(row: Row, stop: string): boolean {
  return [row.stop_id, row.stop_name, row.station_id, row.position].some(
    (value) => value !== undefined && value !== null && String(value) === stop,
  );
}

/** Whether an observation belongs to a row: by position and stop, or by stop and scheduled time where positions differ. */
function isOf(observation: Row, row: Row): boolean {
  if ((observation.stop_id || null) !== row.stop_id) return false;
  if (observation.position === row.position || row.is_added === true) return true;
  const { scheduled_time: planned } = observation;
  return planned !== null && (planned === row.scheduled_time || planned === row.scheduled_departure_time);
}

async function explainCall(db: Duckdb, dataDir: string, row: Row, reported: readonly Row[]): Promise<ExplainedCall> {
  const observations = reported
    .filter((one) => isOf(one, row))
    .map((one) => ({ ...one, isDeciding: one.raw_id === row.raw_id && isOfEvent(one, row) }));
  return {
    row,
    rule: renderRule(row, observations.length),
    observations,
    published: await findPublished(db, dataDir, row),
  };
}

function isOfEvent(observation: Row, row: Row): boolean {
  return observation.event === row.event || isCancelled(row) || row.evidence === 'unknown';
}

/** Whether the counted event is cancelled. */
function isCancelled(row: Row): boolean {
  return (row.event === 'departure' ? row.departure_is_cancelled : row.arrival_is_cancelled) === true;
}

/** Describes the rule that produced a row; `resolved_reports.sql` defines it. */
function renderRule(row: Row, count: number): string {
  if (row.evidence === 'scheduled') return 'none yet: the day is not finalised';
  const forecast = row.forecast_delay_seconds === null ? '' : '; the last forecast before it is in the same row';
  if (row.evidence === 'observed_actual') {
    return `observed: the source's last actual time; trip updates take precedence over positions${forecast}`;
  }
  if (isCancelled(row)) {
    return count === 0
      ? 'cancelled: the source reported that the trip ends before this call, or begins after it'
      : "cancelled: by the source's last report on the event, which was never observed";
  }
  if (row.evidence === 'forecast') {
    return `forecast: the source never reported an actual time${row.forecast_delay_seconds === null ? '; no forecast was made before the call' : ''}`;
  }
  return count === 0 ? 'unknown: the source did not report the call' : 'unknown: the counted event was not reported';
}

async function findPublished(db: Duckdb, dataDir: string, row: Row): Promise<Row | null> {
  const { feed_source: source, feed_version: version, is_added, position } = row;
  if (source === null || version === null || is_added) return null;
  if (!(await findFeedManifest(dataDir, source as SourceId, version as FeedVersion))) return null;
  // A trip of a frequency has its start time appended to its id.
  const ids = [String(row.trip_id), String(row.trip_id).replace(/ \d{2,3}:\d{2}:\d{2}$/, '')];
  for (const tripId of ids) {
    const calls = await findPublishedCalls(db, dataDir, source as SourceId, version as FeedVersion, tripId);
    if (calls.length > 0) return calls[Number(position)] ?? null;
  }
  return null;
}

async function explainTimetables(dataDir: string, rows: readonly Row[]): Promise<ExplainedTimetable[]> {
  const names = new Set(rows.flatMap((row) => (row.feed_source ? [`${row.feed_source}/${row.feed_version}`] : [])));
  const found: ExplainedTimetable[] = [];
  for (const name of names) {
    const [source, version] = name.split('/') as [SourceId, FeedVersion];
    const manifest = await findFeedManifest(dataDir, source, version);
    const date = manifest?.raw.fetchedAt.slice(0, 10);
    found.push({
      source,
      version,
      file: date === undefined ? null : `raw/source=${source}/fetch_date=${date}/${version}.zip`,
      facts: manifest?.raw ?? null,
      rulesVersion: manifest?.rulesVersion ?? null,
    });
  }
  return found;
}
