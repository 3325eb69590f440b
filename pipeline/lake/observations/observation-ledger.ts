import { setImmediate } from 'node:timers/promises';
import { type CallObservation, OBSERVATION_OPEN_SECONDS, type ResolvedTrip } from '../../model/observation.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import {
  addRow,
  callKey,
  cell,
  createCopier,
  createRows,
  createTextTable,
  getText,
  type ObservationRows,
  ROW_WIDTH,
  readObservation,
  splitTripKey,
} from './observation-rows.ts';

/** The newest observation of a key that is still open. */
export interface OpenObservation extends CallObservation {
  readonly firstSeenAt: Instant;
  /** The newest answer of its part, which confirmed it. */
  readonly lastSeenAt: Instant;
  /** The raw answer that first reported it. */
  readonly rawId: string;
  readonly part: string;
}

/**
 * Present and past observations of a source. An observation is open until its value changes, its trip ends or its time is long
 * past; then it becomes a closed row, which is complete.
 */
export interface ObservationLedger {
  /** Rows in use are those in `trips`; the others are in `freeRows`. */
  open: ObservationRows;
  /** Rows of `open` by dated trip, then `callKey`. */
  trips: Map<string, Map<number, number>>;
  freeRows: number[];
  /** Time of the last answer of each part. */
  readonly lastAnswers: Map<string, Instant>;
  /** Dated trips of ids that the timetable lacks, by id, start date and start time. */
  readonly resolved: Map<string, ResolvedTrip>;
  /** Shares the texts of `open`. */
  closed: ObservationRows;
}

/** One answer, whose rows use the texts of the ledger. */
interface LedgerBatch {
  readonly part: string;
  readonly seenAt: Instant;
  readonly ended: readonly { readonly tripKey: bigint; readonly day: EpochDay }[];
  readonly resolved: readonly ResolvedTrip[];
  readonly rows: ObservationRows;
}

/** The open rows, without gaps. */
export interface OpenRows {
  readonly rows: ObservationRows;
  readonly trips: Map<string, Map<number, number>>;
  readonly resolved: readonly ResolvedTrip[];
}

/** Items processed before the event loop continues: some milliseconds of work. */
const ROWS_AT_ONCE = 5000;
const TRIPS_AT_ONCE = 250;
/** A time further ahead is an error, or reported so early that it will be reported again. */
const OPEN_AT_MOST_SECONDS = 14 * 86_400;

/** Cells that make up an observation's value; repeating or republishing it does not change them. */
const valueCells = [
  cell.scheduledTime,
  cell.time,
  cell.flags,
  cell.platform,
  cell.stopId,
  cell.tripId,
  cell.routeId,
  cell.lineLabel,
];

export function createLedger(): ObservationLedger {
  const texts = createTextTable();
  return {
    open: createRows(64, texts),
    trips: new Map(),
    freeRows: [],
    lastAnswers: new Map(),
    resolved: new Map(),
    closed: createRows(64, texts),
  };
}

/** Applies an answer. An observation with an unchanged value only confirms it; of two for one key the last one counts. */
export async function applyBatch(ledger: ObservationLedger, batch: LedgerBatch): Promise<void> {
  for (const { tripKey, day } of batch.ended) closeTrip(ledger, tripKey, day);
  await applyRows(ledger, batch.rows);
  ledger.lastAnswers.set(batch.part, batch.seenAt);
  keepResolved(ledger, batch.resolved);
}

/** Stores resolved trip ids; the newest resolution of an id counts. */
export function keepResolved({ resolved }: ObservationLedger, trips: readonly ResolvedTrip[]): void {
  for (const trip of trips) {
    const { tripId, startDate, startTime, day } = trip;
    resolved.set(JSON.stringify([tripId, startDate ?? day, startTime]), trip);
  }
}

/** Applies observations without an answer: those that were open when a segment of the journal began. */
export async function applyRows(ledger: ObservationLedger, rows: ObservationRows): Promise<void> {
  const apply = createApplier(ledger, rows);
  // Backwards, so that the last one of a key is applied first.
  for (let row = rows.length - 1; row >= 0; row--) {
    apply(row);
    if (row % ROWS_AT_ONCE === 0) await setImmediate();
  }
}

/** Closes finished trips: the source may never have reported their end. */
export function closeOver(ledger: ObservationLedger, now: Instant): void {
  for (const [name, { until }] of ledger.resolved) if (until < now) ledger.resolved.delete(name);
  for (const [tripName, calls] of ledger.trips) {
    for (const [call, row] of calls) {
      if (!isOver(ledger.open, row, now)) continue;
      closeRow(ledger, row);
      calls.delete(call);
      ledger.freeRows.push(row);
    }
    if (calls.size === 0) ledger.trips.delete(tripName);
  }
}

/** Closes all open observations: what was reported next is not known. */
export function closeAll(ledger: ObservationLedger): void {
  for (const row of listOpenRows(ledger)) {
    closeRow(ledger, row);
    ledger.freeRows.push(row);
  }
  ledger.trips.clear();
}

/** Twelve hours after the last of its times, and at most `OPEN_AT_MOST_SECONDS` after it was first seen. */
export function isOver({ cells }: ObservationRows, row: number, now: Instant): boolean {
  const at = row * ROW_WIDTH;
  const firstSeenAt = cells[at + cell.firstSeenAt]!;
  const newest = Math.max(firstSeenAt, cells[at + cell.scheduledTime]!, cells[at + cell.time]!);
  return Math.min(newest + OBSERVATION_OPEN_SECONDS, firstSeenAt + OPEN_AT_MOST_SECONDS) < now;
}

/** Copies the open observations that are not over, with a new text table, which drops unused texts. */
export async function copyOpen({ open, trips, resolved }: ObservationLedger, now: Instant): Promise<OpenRows> {
  const isKept = ({ until }: ResolvedTrip) => until >= now;
  const copied: OpenRows = { rows: createRows(64), trips: new Map(), resolved: [...resolved.values()].filter(isKept) };
  const copy = createCopier(open, copied.rows);
  for (const [tripName, calls] of trips) {
    const wanted = [...calls].filter(([, row]) => !isOver(open, row, now));
    if (wanted.length > 0) copied.trips.set(tripName, new Map(wanted.map(([call, row]) => [call, copy(row)])));
    if (copied.trips.size % TRIPS_AT_ONCE === 0) await setImmediate();
  }
  return copied;
}

/** Returns the closed rows, including those that are over by now, and continues with a copy of the open ones. */
export function takeClosed(ledger: ObservationLedger, now: Instant, { rows, trips }: OpenRows): ObservationRows {
  closeOver(ledger, now);
  const { closed } = ledger;
  ledger.open = rows;
  ledger.trips = trips;
  ledger.freeRows = [];
  ledger.closed = createRows(64, rows.texts);
  return closed;
}

export function* listOpenRows({ trips }: ObservationLedger): Generator<number> {
  for (const calls of trips.values()) yield* calls.values();
}

export function* listOpenObservations(ledger: ObservationLedger): Generator<OpenObservation> {
  const { cells, texts } = ledger.open;
  for (const row of listOpenRows(ledger)) {
    const at = row * ROW_WIDTH;
    // Not a spread, which would take longer than all the rest.
    yield Object.assign(readObservation(ledger.open, row), {
      firstSeenAt: cells[at + cell.firstSeenAt] as Instant,
      lastSeenAt: lastConfirmedAt(ledger, row) as Instant,
      rawId: getText(texts, cells[at + cell.rawId]!) ?? '',
      part: getText(texts, cells[at + cell.part]!) ?? '',
    });
  }
}

// ---- One answer --------------------------------------------------------------------------------

function createApplier(ledger: ObservationLedger, rows: ObservationRows): (row: number) => void {
  const { open, freeRows } = ledger;
  const findCalls = createTripFinder(ledger, rows);
  const touched = new Set<number>();
  return (row) => {
    const calls = findCalls(row);
    const call = callKey(rows, row);
    const known = calls.get(call);
    const target = known ?? freeRows.pop() ?? addRow(open);
    if (touched.has(target)) return;
    touched.add(target);
    if (known !== undefined && isSameValue(rows, row, open, known)) {
      open.cells[known * ROW_WIDTH + cell.part] = rows.cells[row * ROW_WIDTH + cell.part]!;
      return;
    }
    if (known === undefined) calls.set(call, target);
    else closeRow(ledger, known);
    copyCells(rows, row, open, target);
  };
}

function isSameValue(rows: ObservationRows, row: number, others: ObservationRows, other: number): boolean {
  const [at, otherAt] = [row * ROW_WIDTH, other * ROW_WIDTH];
  return valueCells.every((i) => rows.cells[at + i] === others.cells[otherAt + i]);
}

/** Requires tables that share their texts. */
function copyCells(from: ObservationRows, row: number, to: ObservationRows, target: number): void {
  for (let i = 0; i < ROW_WIDTH; i++) to.cells[target * ROW_WIDTH + i] = from.cells[row * ROW_WIDTH + i]!;
}

/** @returns a function that finds the calls of a row's dated trip; rows of one trip mostly are consecutive */
function createTripFinder(
  { trips }: ObservationLedger,
  { cells }: ObservationRows,
): (row: number) => Map<number, number> {
  let last = { low: -1, high: -1, day: -1, calls: new Map<number, number>() };
  return (row) => {
    const at = row * ROW_WIDTH;
    const [low, high, day] = [cells[at + cell.tripKeyLow]!, cells[at + cell.tripKeyHigh]!, cells[at + cell.day]!];
    if (low === last.low && high === last.high && day === last.day) return last.calls;
    const tripName = ledgerTripKey(low, high, day);
    const calls = trips.get(tripName) ?? new Map<number, number>();
    trips.set(tripName, calls);
    last = { low, high, day, calls };
    return calls;
  };
}

function closeTrip(ledger: ObservationLedger, tripKey: bigint, day: EpochDay): void {
  const { low, high } = splitTripKey(tripKey);
  const tripName = ledgerTripKey(low, high, day);
  for (const row of ledger.trips.get(tripName)?.values() ?? []) {
    closeRow(ledger, row);
    ledger.freeRows.push(row);
  }
  ledger.trips.delete(tripName);
}

function closeRow(ledger: ObservationLedger, row: number): void {
  const { open, closed } = ledger;
  const target = addRow(closed);
  copyCells(open, row, closed, target);
  closed.cells[target * ROW_WIDTH + cell.lastSeenAt] = lastConfirmedAt(ledger, row);
}

/** The last answer of its part, but never before it was first seen: clocks may be set back. */
function lastConfirmedAt({ open, lastAnswers }: ObservationLedger, row: number): number {
  const at = row * ROW_WIDTH;
  const part = getText(open.texts, open.cells[at + cell.part]!) ?? '';
  return Math.max(open.cells[at + cell.firstSeenAt]!, lastAnswers.get(part) ?? 0);
}

function ledgerTripKey(keyLow: number, keyHigh: number, day: number): string {
  return `${keyHigh}.${keyLow}.${day}`;
}
