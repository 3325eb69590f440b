import { renderTable } from '../job/text-table.ts';
import type { ExplainedCall, ExplainedTrip } from './explain-trip.ts';
import type { ExplainedAnswer, Row } from './find-trip-rows.ts';

/** Renders lines by source and call, then the answers and the timetable behind them. */
export function renderExplanation(trips: readonly ExplainedTrip[]): string[] {
  return trips.flatMap((trip) => [
    ...renderDay(trip),
    ...trip.calls.flatMap(renderCall),
    ...renderOthers(trip.others),
    ...renderPredictions(trip),
    ...Object.values(trip.answers).flatMap(renderAnswer),
    ...(trip.unreadAnswers > 0 ? [`  and ${trip.unreadAnswers} more raw responses; raise --limit to read them`] : []),
    ...trip.timetables.map(renderTimetable),
    '',
  ]);
}

function renderDay({ source, serviceDate, day, calls, others }: ExplainedTrip): string[] {
  if (!day) {
    const isReported = others.length > 0 || calls.some(({ observations }) => observations.length > 0);
    return [
      isReported
        ? `${source}, ${serviceDate}: the day is not finalised; these are its observations`
        : `${source}, ${serviceDate}: no realtime source has reported the trip yet; this is its timetable`,
    ];
  }
  const inputs = day.inputs.map(({ name, hash }) => `${name} (${hash})`).join(', ');
  return [
    `${source}, ${serviceDate}: built ${day.builtAt} by rules ${day.rulesVersion} (${day.kind})`,
    ...(inputs === '' ? [] : [`  of ${inputs}`]),
  ];
}

const factColumns = ['scheduled_time', 'observed_time', 'delay_seconds', 'forecast_delay_seconds', 'platform'] as const;

function renderCall({ row, rule, observations, published }: ExplainedCall): string[] {
  const facts = factColumns.filter((name) => row[name] !== null).map((name) => `${name} ${row[name]}`);
  const flags = [
    row.arrival_is_cancelled ? 'arrival cancelled' : '',
    row.departure_is_cancelled ? 'departure cancelled' : '',
    row.is_replaced ? 'replaced' : '',
    row.is_added ? 'added' : '',
  ].filter((flag) => flag !== '');
  return [
    '',
    `  call ${row.position}, ${row.stop_name ?? row.stop_id} (${row.stop_id}), ${row.event}: ${row.evidence}`,
    `    ${[...facts, ...flags].join(', ')}`,
    `    rule: ${rule}`,
    ...(row.evidence === 'scheduled' ? [] : [`    raw: ${row.raw_id ?? 'not reported'}`]),
    ...(published ? [`    published: ${renderPublished(published)}`] : []),
    ...renderObservations(observations).map((line) => `    ${line}`),
  ];
}

function renderPublished({ stop_sequence, arrival_time, departure_time, stop_id }: Row): string {
  return `stop_times ${stop_sequence}, stop ${stop_id}, ${arrival_time ?? '-'} to ${departure_time ?? '-'}`;
}

/** @param isOfMany whether the rows are of several calls: then each names its call */
function renderObservations(
  observations: readonly (Row & { readonly isDeciding?: boolean })[],
  isOfMany = false,
): string[] {
  if (observations.length === 0) return [];
  const place = isOfMany ? ['call', 'stop'] : [];
  const columns = [...place, '', 'event', 'channel', 'said', 'time (UTC)', 'from', 'to', 'raw answer'];
  return renderTable(
    columns.map((title) => ({ title })),
    observations.map((row) => [
      ...(isOfMany ? [String(row.position), String(row.stop_id)] : []),
      row.isDeciding ? '*' : '',
      String(row.event),
      String(row.channel),
      row.is_cancelled ? 'cancelled' : String(row.evidence),
      String(row.observed_time ?? row.estimated_time ?? '-'),
      String(row.first_seen_at),
      String(row.last_seen_at),
      String(row.raw_id ?? '-'),
    ]),
  );
}

function renderOthers(others: readonly Row[]): string[] {
  if (others.length === 0) return [];
  return ['', '  observations that are in no row:', ...renderObservations(others, true).map((line) => `    ${line}`)];
}

function renderPredictions({ predictions, models }: ExplainedTrip): string[] {
  if (predictions.length === 0) return [];
  const shown = chooseShown(predictions);
  const columns = [
    'call',
    'made at (UTC)',
    'from call',
    'delay there',
    'p10',
    'p50',
    'p90',
    'train',
    'pattern',
    'legs',
  ];
  const table = renderTable(
    columns.map((title) => ({ title, align: 'end' as const })),
    shown.map((row) => [
      String(row.position),
      String(row.made_at),
      `${row.from_position} at ${String(row.observed_at).slice(11)}`,
      `${row.current_delay_seconds}`,
      `${row.low_seconds}`,
      `${row.median_seconds}`,
      `${row.high_seconds}`,
      renderPrior(row.train_runs, row.train_change_seconds),
      renderPrior(row.pattern_runs, row.pattern_change_seconds),
      renderPrior(row.leg_values, row.legs_change_seconds),
    ]),
  );
  return [
    '',
    '  predictions, delay in seconds, with the delay changes on past days of the trip, of its',
    '  pattern and of the legs on the way, and their counts:',
    ...table.map((line) => `    ${line}`),
    ...(shown.length < predictions.length
      ? [`    the newest of each call, of ${predictions.length} in all; name a stop to see all of them`]
      : []),
    ...Object.entries(models).map(([id, model]) => `  model ${id}: ${renderModel(model)}`),
  ];
}

/** For several calls the newest prediction of each, for one call all. */
function chooseShown(predictions: readonly Row[]): readonly Row[] {
  const newest = new Map(predictions.map((row) => [row.position, row]));
  if (newest.size === 1) return predictions;
  return [...newest.values()].sort((a, b) => Number(a.position) - Number(b.position));
}

function renderPrior(count: Row[string] | undefined, change: Row[string] | undefined): string {
  return typeof change === 'number' ? `${change >= 0 ? '+' : ''}${Math.round(change)} (${count})` : `- (${count})`;
}

function renderModel(model: ExplainedTrip['models'][string] | undefined): string {
  if (!model) return 'no longer kept';
  const { lastDay, learntPairs, comparison } = model;
  const { trained, persistence } = comparison;
  const errors = `MAE ${trained.toFixed(1)} s (persistence baseline: ${persistence.toFixed(1)} s)`;
  return `learnt from ${learntPairs.toLocaleString('en')} pairs up to ${lastDay}, ${errors}`;
}

function renderAnswer({ file, facts, trips, vehicles, trouble }: ExplainedAnswer): string[] {
  const queried = facts
    ? [
        `    requested ${facts.url} at ${facts.fetchedAt}, ${facts.status}, ${facts.bytes} bytes, sha256 ${facts.sha256}`,
      ]
    : [];
  return [
    '',
    `  answer ${file}`,
    ...queried,
    ...[...trips, ...vehicles].map((report) => `    ${JSON.stringify(report, readable)}`),
    ...(trouble === null ? [] : [`    ${trouble}`]),
  ];
}

/** Leaves out nulls and formats times for display. */
function readable(name: string, value: unknown): unknown {
  if (value === null) return undefined;
  const isInstant = typeof value === 'number' && /^(time|scheduledTime|recordedAt)$/.test(name);
  return isInstant ? new Date(value * 1000).toISOString() : value;
}

function renderTimetable({ source, version, file, facts, rulesVersion }: ExplainedTrip['timetables'][number]): string {
  if (!facts) return `  timetable ${source} ${version}: no longer in the lake`;
  return `  timetable ${source} ${version}: ${file}, fetched ${facts.fetchedAt} from ${facts.location}, staged by rules ${rulesVersion}`;
}
