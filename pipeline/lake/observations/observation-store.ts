import { createQueue } from '../../effects/concurrency.ts';
import type { Log } from '../../effects/log.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ObservationBatch, ResolvedTrip } from '../../model/observation.ts';
import type { Instant } from '../../model/service-time.ts';
import { readWriter, renewWriter } from '../lake-writer.ts';
import { observationStateFolder } from '../paths.ts';
import {
  appendFrame,
  createSegment,
  findClosedAt,
  type JournalSegment,
  listSegments,
  openSegment,
  removeSegment,
} from './journal.ts';
import { applyFrame, toBatchFrame, toCheckpoint } from './ledger-frames.ts';
import {
  closeAll,
  closeOver,
  copyOpen,
  createLedger,
  isOver,
  listOpenObservations,
  listOpenRows,
  type ObservationLedger,
  type OpenObservation,
  takeClosed,
} from './observation-ledger.ts';
import type { ObservationRows } from './observation-rows.ts';
import { finishSwaps, partName } from './partition-files.ts';
import { isRescued, rescueSegment } from './rescue-journal.ts';
import { type LakeSettings, writeParts } from './write-parts.ts';

/** Writes the observations of one source to the lake. */
export interface ObservationStore {
  /**
   * Stores one answer, also one without changes: it confirms the open observations. Once this returns, the answer survives
   * a crash. When it throws, the answer may be appended again, whether or not it was stored.
   * @throws RangeError for an observation that does not fit a row; the system error of a full disk
   */
  append(batch: ObservationBatch): Promise<void>;
  /** The newest open observation of each key; in no order. */
  listOpen(): Iterable<OpenObservation>;
  /** The resolved trip ids whose trips are not over. */
  listResolved(): Iterable<ResolvedTrip>;
  /** Number of closed observations waiting for the next flush; each takes some 70 bytes of memory. */
  countClosed(): number;
  /**
   * Writes closed observations as Parquet: superseded ones, those of ended trips, and those whose times are 12 h past.
   * Answers may be appended meanwhile. After a failure, the next flush writes the rest.
   */
  flush(now: Instant): Promise<FlushOutcome>;
  /** Closes the files; open observations stay in the journal. */
  close(): Promise<void>;
}

interface FlushOutcome {
  readonly rows: number;
  readonly files: number;
}

/** The observations in memory, and the segment of the journal with the same content. */
interface Journal {
  readonly ledger: ObservationLedger;
  segment: JournalSegment;
}

/**
 * Opens the observations of a source as of its last stored answer. Only one process at a time may open them. A damaged
 * journal is kept aside, and its intact frames are saved.
 * @throws ExternalError `journal_unreadable` for a journal of a newer format; the system error of the disk
 */
export async function openObservations(
  dataDir: string,
  source: SourceId,
  settings: LakeSettings,
  effects: { readonly log: Log },
): Promise<ObservationStore> {
  await finishSwaps(dataDir, source);
  const folder = observationStateFolder(dataDir, source);
  let journal = await loadJournal(dataDir, source, effects.log);
  let isDoubtful = false;

  /** After a failed write memory and disk may differ: the journal on disk is authoritative and is read again. */
  const change = async <Result>(task: (journal: Journal) => Promise<Result>): Promise<Result> => {
    if (isDoubtful) {
      await journal.segment.handle.close();
      journal = await loadJournal(dataDir, source, effects.log);
      isDoubtful = false;
    }
    try {
      return await task(journal);
    } catch (error) {
      isDoubtful = true;
      throw error;
    }
  };
  const changes = createQueue();
  const flushes = createQueue();

  return {
    append: (batch) =>
      changes(() =>
        change(async ({ ledger, segment }) => {
          const frame = await toBatchFrame(batch);
          await appendFrame(segment, frame);
          await applyFrame(ledger, frame);
        }),
      ),
    listOpen: () => listOpenObservations(journal.ledger),
    listResolved: () => journal.ledger.resolved.values(),
    countClosed: () => journal.ledger.closed.length,
    flush: (now) =>
      flushes(async () => {
        const sealed = await changes(() => change((current) => sealSegment(current, folder, now)));
        return writeSealed(dataDir, source, sealed, { settings, log: effects.log });
      }),
    close: () => changes(() => journal.segment.handle.close()),
  };
}

/** For a source whose observations must not be stored: they stay in memory while they are open. */
export function openMemoryOnlyObservations(): ObservationStore {
  const ledger = createLedger();
  const changes = createQueue();
  return {
    append: (batch) => changes(async () => applyFrame(ledger, await toBatchFrame(batch))),
    listOpen: () => listOpenObservations(ledger),
    listResolved: () => ledger.resolved.values(),
    countClosed: () => ledger.closed.length,
    flush: (now) =>
      changes(async () => {
        takeClosed(ledger, now, await copyOpen(ledger, now));
        return { rows: 0, files: 0 };
      }),
    close: async () => {},
  };
}

async function loadJournal(dataDir: string, source: SourceId, log: Log): Promise<Journal> {
  const folder = observationStateFolder(dataDir, source);
  const newest = (await listSegments(folder)).at(-1);
  if (newest !== undefined) {
    // The journal of a version that named no writer.
    await readWriter(dataDir, source, newest - 1);
    return replaySegment(folder, newest, log);
  }
  // A new journal has a new writer, as one that was removed may have used its first numbers.
  await renewWriter(dataDir, source, 0);
  const ledger = createLedger();
  const never = 0 as Instant;
  const open = await copyOpen(ledger, never);
  return { ledger, segment: await createSegment(folder, 1, never, toCheckpoint(ledger, open)) };
}

/** A damaged segment is rescued and read again. */
async function replaySegment(folder: string, id: number, log: Log): Promise<Journal> {
  for (let isRescued = false; ; isRescued = true) {
    const ledger = createLedger();
    const opened = await openSegment(folder, id, async (frame, isAfterGap) => {
      // A lost answer may have changed anything, so no earlier observation is assumed to hold any longer.
      if (isAfterGap && frame.head.kind === 'batch') closeAll(ledger);
      await applyFrame(ledger, frame);
    });
    if (opened.kind === 'damaged') {
      if (isRescued) throw new Error(`segment ${id} of ${folder} is damaged just after it was rescued`);
      await rescueSegment(folder, id, log);
      continue;
    }
    const { segment, tornBytes } = opened;
    if (tornBytes > 0) {
      log.warn(`${folder}: the last answer was not written to its end; its ${tornBytes} bytes are dropped`);
    }
    return { ledger, segment };
  }
}

/** Complete segments of the journal. */
interface Sealed {
  /** The segment after them, which is open. */
  readonly next: number;
  /** The newest one with its closed rows, where it was just completed; null when there was nothing to close. */
  readonly newest: { readonly id: number; readonly rows: ObservationRows } | null;
}

/** Completes the current segment and creates the next one with the open observations. */
async function sealSegment(journal: Journal, folder: string, now: Instant): Promise<Sealed> {
  const { ledger, segment } = journal;
  if (ledger.closed.length === 0 && !isAnyOver(ledger, now)) return { next: segment.id, newest: null };
  const open = await copyOpen(ledger, now);
  const next = segment.id + 1;
  journal.segment = await createSegment(folder, next, now, toCheckpoint(ledger, open));
  await segment.handle.close();
  return { next, newest: { id: segment.id, rows: takeClosed(ledger, now, open) } };
}

function isAnyOver(ledger: ObservationLedger, now: Instant): boolean {
  for (const row of listOpenRows(ledger)) if (isOver(ledger.open, row, now)) return true;
  return false;
}

/** Writes complete segments as Parquet, oldest first; a segment is removed when its files are in place. */
async function writeSealed(
  dataDir: string,
  source: SourceId,
  { next, newest }: Sealed,
  { settings, log }: { settings: LakeSettings; log: Log },
): Promise<FlushOutcome> {
  const folder = observationStateFolder(dataDir, source);
  const outcome = { rows: 0, files: 0 };
  const segments = (await listSegments(folder)).filter((segment) => segment < next);
  const writer = await readWriter(dataDir, source, next - 1);
  for (const [i, id] of segments.entries()) {
    const following = segments[i + 1] ?? next;
    const closed = id === newest?.id ? newest.rows : await readClosed(folder, { id, following }, log);
    const name = partName(writer.id, id);
    // A flush under the former id may have placed the files of some days.
    const former = writer.former !== null && id <= writer.former.upTo ? [partName(writer.former.id, id)] : [];
    const whole = [...former, ...((await isRescued(folder, id)) ? [name] : [])];
    outcome.files += await writeParts(dataDir, source, { name, whole }, closed, settings);
    outcome.rows += closed.length;
    await removeSegment(folder, id);
  }
  return outcome;
}

/** The closed rows of a segment that an earlier flush completed and did not write. */
async function readClosed(
  folder: string,
  { id, following }: { readonly id: number; readonly following: number },
  log: Log,
): Promise<ObservationRows> {
  const { ledger, segment } = await replaySegment(folder, id, log);
  await segment.handle.close();
  const closedAt = await findClosedAt(folder, following);
  // When the next segment cannot be read, its open observations are nowhere else.
  if (closedAt === null) closeAll(ledger);
  else closeOver(ledger, closedAt as Instant);
  return ledger.closed;
}
