import type { Duckdb } from '../../effects/duckdb.ts';
import { stopEventFile } from '../../history/stop-events/stop-event-manifest.ts';
import type { SourceId } from '../../model/ids.ts';
import { toEpochDay } from '../../model/service-time.ts';
import { openPastDelays } from '../../snapshots/transfer-model/past-delays.ts';
import {
  findIndependence,
  findProbabilitySource,
  type ProbabilitySource,
  type TransferFacts,
} from '../../snapshots/transfer-model/transfer-facts.ts';
import { estimateTransfer, type TransferModel } from '../../snapshots/transfer-model/transfer-model.ts';
import type { LearningDay } from '../learning/learning-days.ts';
import { loadRecordedTrips, type RecordedTrips } from '../learning/recorded-trips.ts';
import { CaseFacts, type FindPast } from '../past-transfers/case-facts.ts';
import { findTransfers } from '../past-transfers/find-transfers.ts';
import { lookUpPast } from '../past-transfers/learn-transfers.ts';
import { buildTransferCases, type TransferCases, transferOf } from '../past-transfers/transfer-cases.ts';
import type { MetricRow } from './metric-tables.ts';
import { findCancelled, readPublishedPredictions, readReportedDelays, readUsedModels } from './transfer-records.ts';

/** Changes of a day that are measured, a sample that is the same every time. */
const MAX_TRANSFERS = 20_000;

/**
 * Measures the probabilities of transfers between two trips of a source on a past day: as the service estimated them, from
 * the forecasts that it had published by then and the model that it used. An event counts as known from its time on.
 * Reads `logged_predictions` and `day_observations`.
 * @returns rows of the mart `transfer_predictions`, without day and source
 */
export async function measureTransfers(
  db: Duckdb,
  dataDir: string,
  source: SourceId,
  day: LearningDay,
): Promise<MetricRow[]> {
  const recorded = await loadRecordedTrips(db, dataDir, source, [day]);
  const { table, stations } = recorded;
  const epochDay = toEpochDay(day.serviceDate);
  const transfers = findTransfers(table, {
    station: stations,
    from: epochDay,
    to: epochDay,
    maxTransfers: MAX_TRANSFERS,
    isObserved: false,
  });
  const cases = buildTransferCases(table, transfers);
  const cancelled = await findCancelled(db, table, stopEventFile(dataDir, source, day.serviceDate));
  const modelAt = await readUsedModels(db, dataDir, source);
  const findPast = lookUpPastByName(recorded, modelAt(cases.requestedAt.reduce((a, b) => Math.max(a, b), 0)));
  const predictions = await readPublishedPredictions(db, table, cases);
  const facts = new CaseFacts(cases, predictions, findPast, await readReportedDelays(db, table, cases));
  const groups = new Map<string, Group>();
  for (let place = 0; place < cases.count; place++) {
    const { arrival, departure } = transfers;
    const transfer = transferOf(place);
    const isAway = cancelled.arrival[arrival[transfer]!] === 1 || cancelled.departure[departure[transfer]!] === 1;
    addCase(groups, cases, place, isAway, () => estimate(modelAt(cases.requestedAt[place]!), facts.get(place)));
  }
  return [...groups.values()].map((group) => ({ ...group, service_date: day.serviceDate, source }));
}

interface Estimate {
  readonly method: 'learnt' | 'independent';
  readonly probability: number;
  readonly from: ProbabilitySource;
}

/** The delays of past days that a model knows, at the calls of a day. */
function lookUpPastByName({ table, routes, stops }: RecordedTrips, model: TransferModel | null): FindPast {
  if (!model) return () => null;
  const find = openPastDelays(model.past);
  return lookUpPast(table, ({ route, stop, ...event }) =>
    find({ route: routes[route]!, stop: stops[stop]!, ...event }),
  );
}

/** @returns null where the service had no estimate */
function estimate(model: TransferModel | null, facts: TransferFacts): Estimate | null {
  const learnt = model && estimateTransfer(model, facts);
  if (learnt) return { method: 'learnt', probability: learnt.probability, from: learnt.from };
  if (!facts.arrival.forecast && !facts.departure.forecast) return null;
  return { method: 'independent', probability: findIndependence(facts), from: findProbabilitySource(facts) };
}

// ---- Metrics -----------------------------------------------------------------------------------

const BINS = 10;

/** A row of the mart. */
interface Group {
  readonly minutes_before: number;
  readonly status: string;
  readonly method: string | null;
  readonly probability_from: string | null;
  readonly bin: number | null;
  pairs: number;
  held: number | null;
  probability_sum: number | null;
  squared_error_sum: number | null;
}

/** Counts a case once, measured or with the reason why not. */
function addCase(
  groups: Map<string, Group>,
  { leftSeconds, secondsToArrival }: TransferCases,
  place: number,
  isCancelled: boolean,
  findEstimate: () => Estimate | null,
): void {
  const minutes = secondsToArrival[place]! / 60;
  const left = leftSeconds[place]!;
  if (isCancelled || Number.isNaN(left)) {
    getGroup(groups, minutes, isCancelled ? 'cancelled' : 'not_observed', null).pairs++;
    return;
  }
  const found = findEstimate();
  const group = getGroup(groups, minutes, found ? 'measured' : 'not_estimated', found);
  group.pairs++;
  if (!found) return;
  const held = left >= 0 ? 1 : 0;
  group.held = group.held! + held;
  group.probability_sum = group.probability_sum! + found.probability;
  group.squared_error_sum = group.squared_error_sum! + (found.probability - held) ** 2;
}

function getGroup(groups: Map<string, Group>, minutes: number, status: string, found: Estimate | null): Group {
  const bin = found && Math.min(BINS - 1, Math.floor(found.probability * BINS));
  const name = [minutes, status, found?.method, found?.from, bin].join(' ');
  const none = found ? 0 : null;
  const group = groups.get(name) ?? {
    minutes_before: minutes,
    status,
    method: found?.method ?? null,
    probability_from: found?.from ?? null,
    bin,
    pairs: 0,
    held: none,
    probability_sum: none,
    squared_error_sum: none,
  };
  groups.set(name, group);
  return group;
}
