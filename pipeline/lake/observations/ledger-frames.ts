import { setImmediate } from 'node:timers/promises';
import type { ObservationBatch, ResolvedTrip } from '../../model/observation.ts';
import type { EpochDay, Instant } from '../../model/service-time.ts';
import type { JournalFrame, ResolvedHead } from './journal-frames.ts';
import { applyBatch, applyRows, keepResolved, type ObservationLedger, type OpenRows } from './observation-ledger.ts';
import { copyRows, createCopier, createObservationWriter, createRows, createTextTable } from './observation-rows.ts';

/** Rows processed before the event loop continues: some milliseconds of work. */
const ROWS_AT_ONCE = 5000;

/** @throws RangeError for an observation that does not fit a row */
export async function toBatchFrame(batch: ObservationBatch): Promise<JournalFrame> {
  const { part, rawId, seenAt, observations, ended, resolved } = batch;
  const rows = createRows(observations.length);
  const write = createObservationWriter(rows, { part, rawId, firstSeenAt: seenAt });
  for (let i = 0; i < observations.length; i++) {
    write(observations[i]!);
    if (i % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await setImmediate();
  }
  const endedTrips = ended.map(({ tripKey, day }) => [String(tripKey), day] as const);
  return {
    head: { kind: 'batch', part, seenAt, ended: endedTrips, resolved: resolved.map(toHead) },
    texts: rows.texts.texts,
    rowCount: rows.length,
    cells: rows.cells,
  };
}

/** The frames at the beginning of a segment: all open observations. */
export function* toCheckpoint(
  { lastAnswers }: ObservationLedger,
  { rows, resolved }: OpenRows,
): Generator<JournalFrame> {
  yield startFrame([...lastAnswers], resolved.map(toHead));
  for (let row = 0; row < rows.length; row += ROWS_AT_ONCE) {
    const some = createRows(ROWS_AT_ONCE);
    const copy = createCopier(rows, some);
    for (let i = row; i < Math.min(row + ROWS_AT_ONCE, rows.length); i++) copy(i);
    yield { head: { kind: 'open' }, texts: some.texts.texts, rowCount: some.length, cells: some.cells };
  }
}

export function startFrame(
  lastAnswers: readonly (readonly [part: string, seenAt: number])[],
  resolved: readonly ResolvedHead[] = [],
): JournalFrame {
  return { head: { kind: 'start', lastAnswers, resolved }, texts: [], rowCount: 0, cells: new Uint32Array(0) };
}

function toHead({ key, ...resolved }: ResolvedTrip): ResolvedHead {
  return { ...resolved, key: String(key) };
}

/** Absent in journals of earlier versions. */
function readHead(resolved: readonly ResolvedHead[] = []): ResolvedTrip[] {
  return resolved.map(({ key, ...rest }) => ({ ...rest, key: BigInt(key) }));
}

/** Applies a frame of the journal; the frames of a segment must be applied in order to an empty ledger. */
export async function applyFrame(ledger: ObservationLedger, frame: JournalFrame): Promise<void> {
  const { head, texts, rowCount, cells } = frame;
  if (head.kind === 'start') {
    for (const [part, seenAt] of head.lastAnswers) ledger.lastAnswers.set(part, seenAt as Instant);
    keepResolved(ledger, readHead(head.resolved));
    return;
  }
  const rows = copyRows({ length: rowCount, texts: createTextTable(texts), cells }, ledger.open.texts);
  if (head.kind === 'open') return applyRows(ledger, rows);
  const ended = head.ended.map(([tripKey, day]) => ({ tripKey: BigInt(tripKey), day: day as EpochDay }));
  const resolved = readHead(head.resolved);
  await applyBatch(ledger, { part: head.part, seenAt: head.seenAt as Instant, ended, resolved, rows });
}
