import type { Config } from '../../pipeline/config/load-config.ts';
import {
  type DamagedJournal,
  describeDamaged,
  listDamagedJournals,
} from '../../pipeline/lake/observations/rescue-journal.ts';
import { describeClockOffset } from '../../pipeline/model/clock-offset-code.ts';
import { isTextAhead } from '../../pipeline/model/clock-tolerance.ts';
import type { SourceId } from '../../pipeline/model/ids.ts';
import type { RealtimeTally } from '../../pipeline/model/realtime-tally.ts';
import type { Instant, ServiceDate } from '../../pipeline/model/service-time.ts';
import type { SpentBudget } from '../../pipeline/realtime/polling/daily-budget.ts';
import type { StandbySwitches } from '../../pipeline/realtime/polling/standby.ts';
import type { RealtimeManifest, RealtimeSourceState } from '../../pipeline/snapshots/realtime-contract.ts';
import { formatCount } from '../definitions/feed-report-lines.ts';
import { listRealtimeIds } from '../definitions/realtime-sources.ts';
import { renderTable } from '../job/text-table.ts';

/** Accuracy of the predictions of a source. Errors are mean absolute errors in seconds; null where not evaluated. */
interface PredictionListing {
  readonly source: SourceId;
  readonly model: string;
  /** The last service date in the model's training data. */
  readonly lastDay: ServiceDate;
  /** The newest day whose predictions were evaluated; null: none yet. */
  readonly measuredDay: ServiceDate | null;
  readonly pairs: number;
  readonly error: number | null;
  /** Error of the persistence forecast: the delay does not change. */
  readonly persistenceError: number | null;
  /** Share of arrivals from p10 to p90. */
  readonly covered: number | null;
  /** For pairs with a forecast of the source: its error, and ours on the same pairs. */
  readonly sourceError: number | null;
  readonly errorBesideSource: number | null;
}

interface PredictionStatus {
  readonly isPaused: boolean;
  readonly sources: readonly PredictionListing[];
}

/** The models in use and their last evaluation. */
export async function findPredictionStatus({ dataDir, predictions }: Config): Promise<PredictionStatus> {
  const { findCurrentModel, listModelSources } = await import('../../pipeline/predictions/learning/model-store.ts');
  const { listMeasuredDays } = await import('../../pipeline/predictions/measured/measured-days.ts');
  const sources: PredictionListing[] = [];
  for (const source of await listModelSources(dataDir)) {
    const manifest = await findCurrentModel(dataDir, source);
    if (!manifest) continue;
    const [day] = await listMeasuredDays(dataDir, source, 1);
    const metricsOf = (pairsOf: 'all' | 'toldBySource') =>
      day?.figures.find((one) => one.pairsOf === pairsOf && one.unit === 'raw') ?? null;
    const errorsOf = (pairsOf: 'all' | 'toldBySource') =>
      metricsOf(pairsOf)?.errors.find(({ slice }) => slice === 'all');
    const [all, bySource] = [errorsOf('all'), errorsOf('toldBySource')];
    const interval = metricsOf('all')?.intervals.find(
      ({ slice, forecaster }) => slice === 'all' && forecaster === 'ours',
    );
    sources.push({
      source,
      model: manifest.id,
      lastDay: manifest.lastDay,
      measuredDay: day?.serviceDate ?? null,
      pairs: all?.pairs ?? 0,
      error: all?.meanError.ours ?? null,
      persistenceError: all?.meanError.persistence ?? null,
      covered: interval?.covered ?? null,
      sourceError: bySource?.meanError.source ?? null,
      errorBesideSource: bySource?.meanError.ours ?? null,
    });
  }
  return { isPaused: predictions.isPaused, sources };
}

export function renderPredictionStatus({ isPaused, sources }: PredictionStatus): string[] {
  const paused = isPaused ? ['Predictions are paused by the configuration.'] : [];
  if (sources.length === 0) {
    return [
      ...paused,
      'There is no prediction model. Run "taktgeber run build-features" and "taktgeber run train-predictions".',
    ];
  }
  const numbers = ['PAIRS', 'ERROR', 'DELAY STAYS', 'COVERED', 'SOURCE', 'OURS BESIDE IT'];
  const columns = [
    ...['PREDICTIONS', 'MODEL', 'MEASURED'].map((title) => ({ title })),
    ...numbers.map((title) => ({ title, align: 'end' as const })),
  ];
  const rows = sources.map((one) => [
    one.source,
    one.model,
    one.measuredDay ?? 'not yet',
    one.measuredDay === null ? '-' : one.pairs.toLocaleString('en'),
    seconds(one.error),
    seconds(one.persistenceError),
    one.covered === null ? '-' : `${(100 * one.covered).toFixed(1)} %`,
    seconds(one.sourceError),
    seconds(one.errorBesideSource),
  ]);
  return [...paused, ...renderTable(columns, rows)];
}

function seconds(error: number | null): string {
  return error === null ? '-' : `${error.toFixed(1)} s`;
}

interface RealtimeStatus {
  /** The published snapshot; null if there is none. */
  readonly id: string | null;
  readonly timetableId: string | null;
  readonly createdAt: string | null;
  readonly sources: readonly RealtimeListing[];
}

/** One realtime source in `taktgeber status`. Times are ISO 8601 UTC. */
interface RealtimeListing {
  readonly source: SourceId;
  readonly status: 'fresh' | 'stale' | 'standby' | 'never';
  readonly lastSuccessAt: string | null;
  readonly ageSeconds: number | null;
  /** Code of the trouble; null: none known. */
  readonly trouble: string | null;
  readonly troubleSince: string | null;
  /** Whether requests are paused after failures in a row. */
  readonly isCircuitOpen: boolean;
  /** Where its requests are redirected; null: nowhere, or not known. */
  readonly redirectedTo: string | null;
  /** Requests of the last day on which one was counted; null for a source whose requests are not counted. */
  readonly budget: (SpentBudget & { readonly limit: number | null }) | null;
  /** From the published snapshot; null when the source is not in it. */
  readonly tally: RealtimeTally | null;
  /** Damaged journals of its observations, kept for inspection. */
  readonly damagedJournals: readonly DamagedJournal[];
}

/** Collects the state of every realtime source from the published snapshot, the standby switches and the budgets. */
export async function findRealtimeStatus(config: Config, nowMilliseconds: number): Promise<RealtimeStatus> {
  // Imported on demand, as they load readers that other commands do not need.
  const { readRealtimeManifest } = await import('../../pipeline/snapshots/realtime-files.ts');
  const manifest = await readRealtimeManifest(config.dataDir);
  const standby = await findStandby(config.dataDir);
  const sources = listRealtimeIds(config).map((source) =>
    describeSource(source, { config, manifest, standby, nowMilliseconds }),
  );
  return {
    id: manifest?.id ?? null,
    timetableId: manifest?.timetableId ?? null,
    createdAt: manifest?.createdAt ?? null,
    sources: await Promise.all(sources),
  };
}

interface Known {
  readonly config: Config;
  readonly manifest: RealtimeManifest | null;
  /** Null when unreadable. */
  readonly standby: StandbySwitches | null;
  readonly nowMilliseconds: number;
}

async function describeSource(source: SourceId, known: Known): Promise<RealtimeListing> {
  const { config, manifest, standby, nowMilliseconds } = known;
  const state = manifest?.sources.find(({ id }) => id === source) ?? null;
  const configured = config.realtime.find(({ id }) => id === source);
  const isStandby = standby?.[source]?.isStandby ?? configured?.isStandby ?? false;
  const budget = await findBudget(config.dataDir, source, nowMilliseconds);
  // A success in the future was dated by a wrong clock and is ignored.
  const isKnown = state?.lastSuccessAt && !isTextAhead(state.lastSuccessAt, nowMilliseconds);
  const ageSeconds = isKnown ? Math.max(0, nowMilliseconds - Date.parse(state.lastSuccessAt)) / 1000 : null;
  const unreadable = standby === null ? 'standby_unreadable' : budget === 'unusable' ? 'budget_unusable' : null;
  return {
    source,
    status: isStandby ? 'standby' : freshnessOf(state, ageSeconds),
    lastSuccessAt: state?.lastSuccessAt ?? null,
    ageSeconds: ageSeconds === null ? null : Math.round(ageSeconds),
    trouble: unreadable ?? state?.trouble ?? null,
    troubleSince: unreadable === null ? (state?.troubleSince ?? null) : null,
    isCircuitOpen: state?.isCircuitOpen ?? false,
    redirectedTo: state?.redirectedTo ?? null,
    budget: budget === null || budget === 'unusable' ? null : { ...budget, limit: configured?.dailyBudget ?? null },
    tally: state?.tally ?? null,
    damagedJournals: await listDamagedJournals(config.dataDir, source),
  };
}

function freshnessOf(state: RealtimeSourceState | null, ageSeconds: number | null): RealtimeListing['status'] {
  if (state === null || ageSeconds === null) return 'never';
  return ageSeconds <= state.maxAgeSeconds ? 'fresh' : 'stale';
}

async function findStandby(dataDir: string): Promise<StandbySwitches | null> {
  const { readStandby } = await import('../../pipeline/realtime/polling/standby.ts');
  const { ExternalError } = await import('../../pipeline/effects/external-error.ts');
  try {
    return await readStandby(dataDir);
  } catch (error) {
    if (error instanceof ExternalError) return null;
    throw error;
  }
}

async function findBudget(
  dataDir: string,
  source: SourceId,
  nowMilliseconds: number,
): Promise<SpentBudget | 'unusable' | null> {
  const { findSpentBudget } = await import('../../pipeline/realtime/polling/daily-budget.ts');
  try {
    return await findSpentBudget(dataDir, source, Math.floor(nowMilliseconds / 1000) as Instant);
  } catch (error) {
    // As in the poller: with any error of the file, the number of sent requests is unknown.
    if (error instanceof Error) return 'unusable';
    throw error;
  }
}

// ---- Display ---------------------------------------------------------------------------------------------------------

/** Renders the states of the sources as a table, then the outcome of their records. */
export function renderRealtimeStatus({ id, timetableId, createdAt, sources }: RealtimeStatus): string[] {
  if (sources.length === 0) return ['No realtime source is configured.'];
  const columns = ['REALTIME', 'STATE', 'LAST SUCCESS', 'TROUBLE', 'BUDGET USED'].map((title) => ({ title }));
  const rows = sources.map((listing) => [
    listing.source,
    listing.status,
    listing.lastSuccessAt ?? '-',
    renderTrouble(listing),
    renderBudget(listing.budget),
  ]);
  return [
    id === null
      ? 'No realtime data is published yet. Run "taktgeber up" or "taktgeber schedule".'
      : `Realtime ${id} on timetable ${timetableId}, published ${createdAt}`,
    ...renderTable(columns, rows),
    ...sources.flatMap(({ source, tally }) => (tally === null ? [] : renderTally(source, tally))),
    ...sources.flatMap(({ source, redirectedTo }) =>
      redirectedTo === null ? [] : `${source}: requests are redirected to ${redirectedTo}; set its endpoint to that`,
    ),
    ...sources.flatMap(({ source, tally }) => {
      const offset = describeClockOffset(tally?.problems ?? {});
      return offset === null ? [] : `${source}: ${offset}`;
    }),
    ...sources.flatMap(({ source, damagedJournals }) =>
      damagedJournals.map((one) => `${source}: ${describeDamaged(one)}`),
    ),
  ];
}

/** e.g. `http_500 since 2026-03-01T12:00:00.000Z, circuit open` */
function renderTrouble({ trouble, troubleSince, isCircuitOpen }: RealtimeListing): string {
  if (trouble === null) return '-';
  return `${trouble}${troubleSince === null ? '' : ` since ${troubleSince}`}${isCircuitOpen ? ', circuit open' : ''}`;
}

function renderBudget(budget: RealtimeListing['budget']): string {
  if (budget === null) return '-';
  const limit = budget.limit === null ? '' : ` of ${formatCount(budget.limit)}`;
  return `${formatCount(budget.used)}${limit} on ${budget.date}`;
}

function renderTally(source: SourceId, tally: RealtimeTally): string[] {
  const vehicles = [
    `${formatCount(tally.vehiclesMatched)} matched to a trip`,
    `${formatCount(tally.vehiclesOnRouteOnly)} to a line only`,
    `${formatCount(tally.vehiclesUnmatched)} to neither`,
  ].join(', ');
  return [
    `${source}: ${formatCount(tally.records)} records, ${formatCount(tally.alerts)} alerts`,
    `    trips matched: ${renderCounts(tally.matched)}`,
    `    trips not matched: ${renderCounts(tally.unmatched)}`,
    `    vehicles: ${vehicles}`,
    `    problems: ${renderCounts(tally.problems)}`,
  ];
}

/** `12, trip_id 10, added 2`: the sum and its parts, the most frequent first. */
function renderCounts(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).sort(([a, m], [b, n]) => n - m || a.localeCompare(b));
  const sum = entries.reduce((total, [, count]) => total + count, 0);
  return [formatCount(sum), ...entries.map(([name, count]) => `${name} ${formatCount(count)}`)].join(', ');
}
