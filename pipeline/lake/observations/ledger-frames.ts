import { setImmediate } from 'node:timers/promises';
import type { ObservationBatch } from '../../model/observation.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import { JOURNAL_FORMAT_VERSION } from './journal.ts';
import type { JournalFrame } from './journal-frames.ts';
import { applyBatch, applyRows, createCopier, isOver, listOpenRows, type SightingLedger } from './sighting-ledger.ts';
import { createRows, createSightingWriter } from './sighting-rows.ts';

/** What is worked on before others get their turn: some milliseconds. */
const ROWS_AT_ONCE = 5000;

/** @throws RangeError for a sighting that no row can hold */
export async function toBatchFrame({ part, rawId, seenAt, sightings, ended }: ObservationBatch): Promise<JournalFrame> {
  const rows = createRows(sightings.length);
  const write = createSightingWriter(rows, { part, rawId, firstSeenAt: seenAt });
  for (let i = 0; i < sightings.length; i++) {
    write(sightings[i]!);
    if (i % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await setImmediate();
  }
  const endedTrips = ended.map(({ tripKey, day }) => [String(tripKey), day] as const);
  return { head: { kind: 'batch', part, seenAt, ended: endedTrips }, rows };
}

/** The frames that a segment begins with: all that is open and not over by now. */
export function* toCheckpoint(ledger: SightingLedger, now: number): Generator<JournalFrame> {
  const lastAnswers = [...ledger.lastAnswers];
  const head = { kind: 'start', formatVersion: JOURNAL_FORMAT_VERSION, closedAt: now, lastAnswers } as const;
  yield { head, rows: createRows(0) };
  let rows = createRows(ROWS_AT_ONCE);
  let copy = createCopier(ledger.open, rows);
  for (const row of listOpenRows(ledger)) {
    if (isOver(ledger.open, row, now as Instant)) continue;
    copy(row);
    if (rows.length < ROWS_AT_ONCE) continue;
    yield { head: { kind: 'open' }, rows };
    rows = createRows(ROWS_AT_ONCE);
    copy = createCopier(ledger.open, rows);
  }
  if (rows.length > 0) yield { head: { kind: 'open' }, rows };
}

export async function applyFrame(ledger: SightingLedger, { head, rows }: JournalFrame): Promise<void> {
  if (head.kind === 'start') {
    for (const [part, seenAt] of head.lastAnswers) ledger.lastAnswers.set(part, seenAt as Instant);
  } else if (head.kind === 'open') await applyRows(ledger, rows);
  else {
    const ended = head.ended.map(([tripKey, day]) => ({ tripKey: BigInt(tripKey), day: day as EpochDay }));
    await applyBatch(ledger, { part: head.part, seenAt: head.seenAt as Instant, ended, rows });
  }
}
