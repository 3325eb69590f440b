import { setImmediate } from 'node:timers/promises';
import type { ObservationBatch } from '../../model/observation.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import { JOURNAL_FORMAT_VERSION } from './journal.ts';
import type { JournalFrame } from './journal-frames.ts';
import { applyBatch, applyRows, type LedgerBatch, type OpenRows, type SightingLedger } from './sighting-ledger.ts';
import { createRows, createSightingWriter, numberText, ROW_WIDTH, type SightingRows } from './sighting-rows.ts';

/** What is worked on before others get their turn: some milliseconds. */
const ROWS_AT_ONCE = 5000;

/** @throws RangeError for a sighting that no row can hold; the ledger says what it said before */
export async function toLedgerBatch(ledger: SightingLedger, batch: ObservationBatch): Promise<LedgerBatch> {
  const { part, rawId, seenAt, sightings, ended } = batch;
  const rows = createRows(sightings.length, ledger.open.texts);
  const write = createSightingWriter(rows, { part, rawId, firstSeenAt: seenAt });
  for (let i = 0; i < sightings.length; i++) {
    write(sightings[i]!);
    if (i % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await setImmediate();
  }
  return { part, seenAt, ended, rows };
}

/** @param textCount texts that the segment holds already */
export function toBatchFrame({ part, seenAt, ended, rows }: LedgerBatch, textCount: number): JournalFrame {
  const endedTrips = ended.map(({ tripKey, day }) => [String(tripKey), day] as const);
  return {
    head: { kind: 'batch', part, seenAt, ended: endedTrips },
    texts: rows.texts.texts.slice(textCount),
    rowCount: rows.length,
    cells: rows.cells,
  };
}

/** The frames that a segment begins with: all that is open. */
export function* toCheckpoint(
  { lastAnswers }: SightingLedger,
  { rows }: OpenRows,
  closedAt: number,
): Generator<JournalFrame> {
  yield {
    head: { kind: 'start', formatVersion: JOURNAL_FORMAT_VERSION, closedAt, lastAnswers: [...lastAnswers] },
    texts: rows.texts.texts,
    rowCount: 0,
    cells: new Uint32Array(0),
  };
  for (let row = 0; row < rows.length; row += ROWS_AT_ONCE) {
    const rowCount = Math.min(ROWS_AT_ONCE, rows.length - row);
    const cells = rows.cells.subarray(row * ROW_WIDTH, (row + rowCount) * ROW_WIDTH);
    yield { head: { kind: 'open' }, texts: [], rowCount, cells };
  }
}

/** Takes up a frame of the journal; the frames of a segment must come in their order, for a ledger that was empty. */
export async function applyFrame(
  ledger: SightingLedger,
  { head, texts, rowCount, cells }: JournalFrame,
): Promise<void> {
  for (const text of texts) numberText(ledger.open.texts, text);
  const rows: SightingRows = { length: rowCount, texts: ledger.open.texts, cells };
  if (head.kind === 'start') {
    for (const [part, seenAt] of head.lastAnswers) ledger.lastAnswers.set(part, seenAt as Instant);
  } else if (head.kind === 'open') await applyRows(ledger, rows);
  else {
    const ended = head.ended.map(([tripKey, day]) => ({ tripKey: BigInt(tripKey), day: day as EpochDay }));
    await applyBatch(ledger, { part: head.part, seenAt: head.seenAt as Instant, ended, rows });
  }
}
