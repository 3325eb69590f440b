import type { Log } from '../../effects/log.ts';
import type { SourceId } from '../../model/ids.ts';
import type { ObservationBatch, ResolvedTrip } from '../../model/observation.ts';
import type { Instant } from '../../model/service-time.ts';
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
import { findNewestSegment, finishSwaps } from './partition-files.ts';
import { isRescued, rescueSegment } from './rescue-journal.ts';
import {
  closeAll,
  closeOver,
  copyOpen,
  createLedger,
  isOver,
  listOpenRows,
  listOpenSightings,
  type OpenSighting,
  type SightingLedger,
  takeClosed,
} from './sighting-ledger.ts';
import type { SightingRows } from './sighting-rows.ts';
import { type LakeSettings, writeParts } from './write-parts.ts';

/** The sightings of one source, on their way into the lake. */
export interface ObservationStore {
  /**
   * Takes up one answer, also one that changed nothing: it confirms what was said before. Once this returns, the
   * answer outlives a crash. When it throws, the answer may be given again, whatever became of it.
   * @throws RangeError for a sighting that no row can hold; the system error of a disk that is full
   */
  append(batch: ObservationBatch): Promise<void>;
  /** The newest sighting of each key that is open; in no order. */
  listOpen(): Iterable<OpenSighting>;
  /** What trip ids stand for that the timetable lacks, as far as answers have shown it and their trips are not over. */
  listResolved(): Iterable<ResolvedTrip>;
  /** Closed sightings that wait for the next flush; each takes some 70 bytes of memory. */
  countClosed(): number;
  /**
   * Turns closed sightings into Parquet: superseded ones, those of ended trips, and those whose times are 12 h past.
   * Answers may be appended meanwhile. What a failed flush leaves behind is taken up by the next one.
   */
  flush(now: Instant): Promise<FlushOutcome>;
  /** Lets go of the disk; what is open stays in the journal. */
  close(): Promise<void>;
}

interface FlushOutcome {
  readonly rows: number;
  readonly files: number;
}

/** What is in memory, and the segment of the journal that says the same. */
interface Journal {
  readonly ledger: SightingLedger;
  segment: JournalSegment;
}

/**
 * Opens the observations of a source, as they stood when the last answer was taken up. One process at a time may hold
 * them.
 * A damaged journal is set aside, and what can be saved of it is saved.
 * @throws WorldError `journal_unreadable` for a journal of a newer format; the system error of the disk
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

  /** After a failed write memory and disk may differ, and the disk is right: it is read again. */
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
    listOpen: () => listOpenSightings(journal.ledger),
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

/** For a source whose sightings must not be kept: they live in memory, as long as they are open. */
export function openMemoryOnlyObservations(): ObservationStore {
  const ledger = createLedger();
  const changes = createQueue();
  return {
    append: (batch) => changes(async () => applyFrame(ledger, await toBatchFrame(batch))),
    listOpen: () => listOpenSightings(ledger),
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
  if (newest !== undefined) return replaySegment(folder, newest, log);
  const ledger = createLedger();
  // Numbers go on where the lake stops, also when somebody has removed the journal.
  const id = (await findNewestSegment(dataDir, source)) + 1;
  const nothing = await copyOpen(ledger, 0 as Instant);
  return { ledger, segment: await createSegment(folder, id, 0, toCheckpoint(ledger, nothing)) };
}

/** A damaged segment is rescued, and read once more. */
async function replaySegment(folder: string, id: number, log: Log): Promise<Journal> {
  for (let isRescued = false; ; isRescued = true) {
    const ledger = createLedger();
    const opened = await openSegment(folder, id, async (frame, isAfterGap) => {
      // What was said in a lost answer is not known, so nothing that was said before it is taken to have held on.
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

/** Segments of the journal that are complete. */
interface Sealed {
  /** The segment after them. */
  readonly next: number;
  /** Closed rows of the newest of them, which has just been completed; null when nothing was to be closed. */
  readonly rows: SightingRows | null;
}

/** Completes the segment that is written to, and begins the next one with what is open. */
async function sealSegment(journal: Journal, folder: string, now: Instant): Promise<Sealed> {
  const { ledger, segment } = journal;
  if (ledger.closed.length === 0 && !isAnyOver(ledger, now)) return { next: segment.id, rows: null };
  const open = await copyOpen(ledger, now);
  journal.segment = await createSegment(folder, segment.id + 1, now, toCheckpoint(ledger, open));
  await segment.handle.close();
  return { next: journal.segment.id, rows: takeClosed(ledger, now, open) };
}

function isAnyOver(ledger: SightingLedger, now: Instant): boolean {
  for (const row of listOpenRows(ledger)) if (isOver(ledger.open, row, now)) return true;
  return false;
}

/** Turns complete segments into Parquet, oldest first; a segment goes when its files are in place. */
async function writeSealed(
  dataDir: string,
  source: SourceId,
  { next, rows }: Sealed,
  { settings, log }: { settings: LakeSettings; log: Log },
): Promise<FlushOutcome> {
  const folder = observationStateFolder(dataDir, source);
  const outcome = { rows: 0, files: 0 };
  for (const id of (await listSegments(folder)).filter((segment) => segment < next)) {
    const closed = id === next - 1 && rows ? rows : await readClosed(folder, id, log);
    const isPart = await isRescued(folder, id);
    outcome.files += await writeParts(dataDir, source, id, closed, settings, { isPart });
    outcome.rows += closed.length;
    await removeSegment(folder, id);
  }
  return outcome;
}

/** The closed rows of a segment that an earlier flush has completed and not written. */
async function readClosed(folder: string, id: number, log: Log): Promise<SightingRows> {
  const { ledger, segment } = await replaySegment(folder, id, log);
  await segment.handle.close();
  const closedAt = await findClosedAt(folder, id + 1);
  // Where nothing of the segment behind can be read, what was open is nowhere else.
  if (closedAt === null) closeAll(ledger);
  else closeOver(ledger, closedAt as Instant);
  return ledger.closed;
}

/** Runs tasks one after the other, in the order in which they come. */
function createQueue(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const run = last.then(task);
    // Whoever asked for the task hears of its failure; the next one runs all the same.
    last = run.catch(() => {});
    return run;
  };
}
