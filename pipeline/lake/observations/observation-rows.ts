import { type CallObservation, evidences } from '../../model/observation.ts';
import { toOccupancy, toOccupancyNumber } from '../../model/occupancy.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';

/**
 * Observations as numbers, because there are hundreds of thousands at once: 68 bytes each, row by row, every text once.
 * Instants are seconds since 1970 UTC, 0 where unknown; texts are numbers of the text table, 0 for null.
 */
export interface ObservationRows {
  length: number;
  readonly texts: TextTable;
  /** `ROW_WIDTH` cells for each row there is room for. */
  cells: Uint32Array;
}

/** The cells of a row, those of texts last. */
export const rowColumns = [
  'tripKeyLow',
  'tripKeyHigh',
  'day',
  'position',
  'flags',
  'scheduledTime',
  'time',
  'recordedAt',
  'firstSeenAt',
  'lastSeenAt',
  'tripId',
  'routeId',
  'lineLabel',
  'stopId',
  'platform',
  'rawId',
  'part',
] as const;

type RowColumn = (typeof rowColumns)[number];

export const ROW_WIDTH = rowColumns.length;

/** Index of each cell in its row. */
export const cell = Object.fromEntries(rowColumns.map((name, index) => [name, index])) as Record<RowColumn, number>;

const FIRST_TEXT_CELL = cell.tripId;

/**
 * Bits of `flags`; the evidence, its position in `evidences`, takes two, the uncertainty plus one, 0 where there is none,
 * seventeen, and the occupancy as a number the rest. `observations.sql` reads them too.
 */
const flagBits = {
  isDeparture: 1,
  isFromPosition: 2,
  isCancelled: 4,
  evidence: 8,
  uncertainty: 32,
  occupancy: 2 ** 22,
} as const;
const EVIDENCE_VALUES = 4;
const MAX_UNCERTAINTY_SECONDS = 0xffff;
const UNCERTAINTY_VALUES = 2 ** 17;

/** Texts by number, from 1. */
interface TextTable {
  readonly texts: string[];
  readonly numbers: Map<string, number>;
}

/** Origin of an observation. */
interface ObservationOrigin {
  readonly part: string;
  readonly rawId: string;
  readonly firstSeenAt: Instant;
}

// ---- Texts -------------------------------------------------------------------------------------

export function createTextTable(texts: readonly string[] = []): TextTable {
  const table: TextTable = { texts: [], numbers: new Map() };
  for (const text of texts) numberText(table, text);
  return table;
}

/** @returns the number of the text, which is added if it is new */
export function numberText(table: TextTable, text: string | null): number {
  if (text === null) return 0;
  const known = table.numbers.get(text);
  if (known !== undefined) return known;
  const number = table.texts.push(text);
  table.numbers.set(text, number);
  return number;
}

export function getText(table: TextTable, number: number): string | null {
  return number === 0 ? null : table.texts[number - 1]!;
}

// ---- Rows --------------------------------------------------------------------------------------

export function createRows(capacity = 64, texts = createTextTable()): ObservationRows {
  return { length: 0, texts, cells: new Uint32Array(capacity * ROW_WIDTH) };
}

/** Adds a row. @returns its number */
export function addRow(rows: ObservationRows): number {
  if ((rows.length + 1) * ROW_WIDTH > rows.cells.length) {
    const wider = new Uint32Array(Math.max(64 * ROW_WIDTH, rows.cells.length * 2));
    wider.set(rows.cells);
    rows.cells = wider;
  }
  return rows.length++;
}

/**
 * Appends the observations of one answer.
 * @returns a function that throws a RangeError for an observation that does not fit a row: a day or a position that is not
 * a whole number from 0 to 65,535, or an invalid key
 */
export function createObservationWriter(
  rows: ObservationRows,
  origin: ObservationOrigin,
): (observation: CallObservation) => void {
  const { texts } = rows;
  const [rawId, part] = [numberText(texts, origin.rawId), numberText(texts, origin.part)];
  const writeTrip = createTripWriter(rows);
  return (observation) => {
    assertStorable(observation);
    const at = addRow(rows) * ROW_WIDTH;
    writeTrip(observation, at);
    const { cells } = rows;
    cells[at + cell.day] = observation.day;
    cells[at + cell.position] = observation.position;
    cells[at + cell.flags] = toFlags(observation);
    cells[at + cell.scheduledTime] = toSeconds(observation.scheduledTime);
    cells[at + cell.time] = toSeconds(observation.time);
    cells[at + cell.recordedAt] = toSeconds(observation.recordedAt);
    cells[at + cell.firstSeenAt] = toSeconds(origin.firstSeenAt);
    cells[at + cell.stopId] = numberText(texts, observation.stopId);
    cells[at + cell.platform] = numberText(texts, observation.platform);
    cells[at + cell.rawId] = rawId;
    cells[at + cell.part] = part;
  };
}

/** Observations of one trip mostly are consecutive, and looking up its key and texts is the expensive part. */
function createTripWriter(rows: ObservationRows): (observation: CallObservation, at: number) => void {
  let last: CallObservation | null = null;
  let numbers = { low: 0, high: 0, tripId: 0, routeId: 0, lineLabel: 0 };
  return (observation, at) => {
    const { tripKey, tripId, routeId, lineLabel } = observation;
    const isSame =
      tripKey === last?.tripKey && tripId === last.tripId && routeId === last.routeId && lineLabel === last.lineLabel;
    if (!isSame) {
      const { texts } = rows;
      numbers = {
        ...splitTripKey(tripKey),
        tripId: numberText(texts, tripId),
        routeId: numberText(texts, routeId),
        lineLabel: numberText(texts, lineLabel),
      };
    }
    last = observation;
    const { cells } = rows;
    cells[at + cell.tripKeyLow] = numbers.low;
    cells[at + cell.tripKeyHigh] = numbers.high;
    cells[at + cell.tripId] = numbers.tripId;
    cells[at + cell.routeId] = numbers.routeId;
    cells[at + cell.lineLabel] = numbers.lineLabel;
  };
}

export function readObservation({ cells, texts }: ObservationRows, row: number): CallObservation {
  const at = row * ROW_WIDTH;
  const flags = cells[at + cell.flags]!;
  return {
    tripKey: (BigInt(cells[at + cell.tripKeyHigh]!) << 32n) | BigInt(cells[at + cell.tripKeyLow]!),
    day: cells[at + cell.day] as EpochDay,
    tripId: getText(texts, cells[at + cell.tripId]!) ?? '',
    routeId: getText(texts, cells[at + cell.routeId]!),
    lineLabel: getText(texts, cells[at + cell.lineLabel]!),
    position: cells[at + cell.position]!,
    stopId: getText(texts, cells[at + cell.stopId]!) ?? '',
    event: flags & flagBits.isDeparture ? 'departure' : 'arrival',
    channel: flags & flagBits.isFromPosition ? 'positions' : 'stop_events',
    scheduledTime: toInstant(cells[at + cell.scheduledTime]!),
    time: toInstant(cells[at + cell.time]!),
    evidence: evidences[Math.floor(flags / flagBits.evidence) % EVIDENCE_VALUES]!,
    isCancelled: (flags & flagBits.isCancelled) !== 0,
    platform: getText(texts, cells[at + cell.platform]!),
    uncertaintySeconds: toUncertainty(Math.floor(flags / flagBits.uncertainty) % UNCERTAINTY_VALUES),
    occupancy: toOccupancy(Math.floor(flags / flagBits.occupancy)),
    recordedAt: toInstant(cells[at + cell.recordedAt]!),
  };
}

/** One column of all rows. */
export function readColumn({ cells, length }: ObservationRows, name: RowColumn): Uint32Array {
  const column = new Uint32Array(length);
  for (let row = 0; row < length; row++) column[row] = cells[row * ROW_WIDTH + cell[name]]!;
  return column;
}

/** Splits a key into two numbers: typed arrays of 64 bits hold big integers, which are slow. */
export function splitTripKey(key: bigint): { readonly low: number; readonly high: number } {
  return { low: Number(key & 0xffff_ffffn), high: Number(key >> 32n) };
}

/** Key of an observation within its dated trip: position, event and channel. */
export function callKey({ cells }: ObservationRows, row: number): number {
  const at = row * ROW_WIDTH;
  return cells[at + cell.position]! * 4 + (cells[at + cell.flags]! & (flagBits.isDeparture | flagBits.isFromPosition));
}

function toUncertainty(stored: number): number | null {
  return stored === 0 ? null : stored - 1;
}

function toFlags(observation: CallObservation): number {
  const { event, channel, isCancelled, evidence, uncertaintySeconds, occupancy } = observation;
  const uncertainty = uncertaintySeconds === null ? 0 : 1 + Math.min(MAX_UNCERTAINTY_SECONDS, uncertaintySeconds);
  return (
    (event === 'departure' ? flagBits.isDeparture : 0) +
    (channel === 'positions' ? flagBits.isFromPosition : 0) +
    (isCancelled ? flagBits.isCancelled : 0) +
    evidences.indexOf(evidence) * flagBits.evidence +
    uncertainty * flagBits.uncertainty +
    toOccupancyNumber(occupancy) * flagBits.occupancy
  );
}

/** Instants outside of 1970 to 2106 are stored as unknown, as in the realtime snapshot. */
function toSeconds(instant: Instant | null): number {
  return instant !== null && instant > 0 && instant <= 0xffff_ffff ? instant : 0;
}

function toInstant(seconds: number): Instant | null {
  return seconds === 0 ? null : (seconds as Instant);
}

function assertStorable({ day, position, tripKey, tripId }: CallObservation): void {
  const isCount = (value: number) => Number.isInteger(value) && value >= 0 && value <= 0xffff;
  if (!isCount(day) || !isCount(position) || tripKey < 0n || tripKey >= 1n << 64n) {
    throw new RangeError(
      `cannot store an observation of trip ${tripId} (${tripKey}), day ${day}, position ${position}`,
    );
  }
}

/** @returns a function that copies a row to a table with other texts and returns its number there */
export function createCopier(from: ObservationRows, to: ObservationRows): (row: number) => number {
  const numbers = new Uint32Array(from.texts.texts.length + 1);
  const renumber = (number: number) => {
    if (number === 0) return 0;
    numbers[number] ||= numberText(to.texts, getText(from.texts, number));
    return numbers[number]!;
  };
  return (row) => {
    const copy = addRow(to);
    const [source, target] = [row * ROW_WIDTH, copy * ROW_WIDTH];
    for (let i = 0; i < FIRST_TEXT_CELL; i++) to.cells[target + i] = from.cells[source + i]!;
    for (let i = FIRST_TEXT_CELL; i < ROW_WIDTH; i++) to.cells[target + i] = renumber(from.cells[source + i]!);
    return copy;
  };
}

/** Copies all rows to another text table. */
export function copyRows(rows: ObservationRows, texts: TextTable): ObservationRows {
  const copied = createRows(rows.length, texts);
  const copy = createCopier(rows, copied);
  for (let row = 0; row < rows.length; row++) copy(row);
  return copied;
}
