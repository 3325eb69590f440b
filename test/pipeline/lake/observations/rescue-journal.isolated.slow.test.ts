import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../../pipeline/effects/log.ts';
import { openSegment } from '../../../../pipeline/lake/observations/journal.ts';
import { type JournalFrame, MAGIC, scanFrames } from '../../../../pipeline/lake/observations/journal-frames.ts';
import {
  createObservationWriter,
  createRows,
  ROW_WIDTH,
} from '../../../../pipeline/lake/observations/observation-rows.ts';
import { listDamagedJournals, rescueSegment } from '../../../../pipeline/lake/observations/rescue-journal.ts';
import { observationStateFolder } from '../../../../pipeline/lake/paths.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { naiveObservations } from '../../../support/oracles/naive-observations.ts';
import { temporaryFolder } from '../../../support/worlds/ingest.ts';
import {
  answer,
  at,
  endOf,
  live,
  muchLater,
  observation,
  openStore,
  readRows,
} from '../../../support/worlds/observations.ts';
import { batchAt, killStart } from './kill-batches.ts';

/** From the selected step on the process is dead: nothing more reaches the disk. */
const disk = vi.hoisted(() => ({
  steps: 0,
  diesAt: Number.POSITIVE_INFINITY,
  take(): void {
    this.steps += 1;
    if (this.steps >= this.diesAt) throw Object.assign(new Error('EIO: dead'), { code: 'EIO' });
  },
}));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const counted =
    <Name extends 'link' | 'rename' | 'copyFile' | 'rm'>(name: Name) =>
    async (...all: Parameters<(typeof real)[Name]>) => {
      disk.take();
      return (real[name] as (...all: unknown[]) => Promise<unknown>)(...all);
    };
  const openCounted = async (...all: Parameters<typeof real.open>) => {
    if (String(all[1]) !== 'r') disk.take();
    const handle = await real.open(...all);
    const append = handle.appendFile.bind(handle);
    return Object.assign(handle, {
      appendFile: async (bytes: Uint8Array) => {
        disk.take();
        await append(bytes);
      },
      sync: async () => disk.take(),
    });
  };
  const mocked = {
    link: counted('link'),
    rename: counted('rename'),
    copyFile: counted('copyFile'),
    rm: counted('rm'),
    open: openCounted,
  };
  return { ...real, ...mocked, default: { ...real, ...mocked } };
});

afterEach(() => {
  disk.diesAt = Number.POSITIVE_INFINITY;
});

const BATCHES = 24;
const FLUSHED_AFTER = 9;
const SEGMENT = 2;

interface Place {
  readonly at: number;
  readonly end: number;
}

interface RealJournal {
  readonly bytes: Buffer;
  readonly frames: readonly (Place & JournalFrame)[];
}

const journalFile = (dataDir: string, segment: number) =>
  path.join(observationStateFolder(dataDir, live), `${String(segment).padStart(10, '0')}.journal`);

/** The journal of a source as a store writes it: open observations at a flush, then the responses since. */
async function writeJournal(dataDir: string): Promise<RealJournal> {
  const store = await openStore(dataDir);
  for (let index = 0; index < BATCHES; index++) {
    await store.append(batchAt(index));
    if (index === FLUSHED_AFTER) await store.flush((killStart + index) as Instant);
  }
  await store.close();
  const file = journalFile(dataDir, SEGMENT);
  return { bytes: await readFile(file), frames: await readFrames(file) };
}

async function readFrames(file: string): Promise<(Place & JournalFrame)[]> {
  const handle = await open(file, 'r');
  const frames: (Place & JournalFrame)[] = [];
  for await (const found of scanFrames(handle)) if ('place' in found) frames.push(found);
  await handle.close();
  return frames;
}

// ---- Damage ----------------------------------------------------------------------------------------------------------

interface Damage {
  readonly kind: 'flip' | 'zero' | 'cut' | 'insert' | 'remove' | 'repeat' | 'swap';
  /** Number of a frame, a part of it, and the position in that part: shares from 0 to 1. */
  readonly frame: number;
  readonly part: 'magic' | 'length' | 'checksum' | 'jsonLength' | 'json' | 'cells' | 'anywhere';
  readonly within: number;
  readonly length: number;
  readonly bit: number;
}

const anyDamage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('flip', 'zero', 'cut', 'insert', 'remove', 'repeat', 'swap'),
  frame: fc.double({ min: 0, max: 0.999, noNaN: true }),
  part: fc.constantFrom('magic', 'length', 'checksum', 'jsonLength', 'json', 'cells', 'anywhere'),
  within: fc.double({ min: 0, max: 0.999, noNaN: true }),
  length: fc.constantFrom(1, 3, 4, 16, 512, 4096, 20_000),
  bit: fc.integer({ min: 0, max: 7 }),
});

function damage({ bytes, frames }: RealJournal, { kind, part, within, length, bit, ...chosen }: Damage): Buffer {
  const frame = frames[Math.floor(chosen.frame * frames.length)]!;
  const [from, to] = partOf(bytes, frame, part);
  const place = from + Math.floor(within * (to - from));
  const rest = bytes.subarray(place);
  const before = bytes.subarray(0, place);
  const copy = Buffer.from(bytes);
  const blockFrom = Math.max(0, place - length);
  switch (kind) {
    case 'flip':
      copy[place]! ^= 1 << bit;
      return copy;
    case 'zero':
      return copy.fill(0, place, Math.min(copy.length, place + length));
    case 'cut':
      return Buffer.from(before);
    case 'insert':
      return Buffer.concat([before, Buffer.from(Array.from({ length }, (_, i) => (i * 37 + bit) & 255)), rest]);
    case 'remove':
      return Buffer.concat([before, bytes.subarray(place + length)]);
    case 'repeat':
      return Buffer.concat([before, bytes.subarray(blockFrom, place), rest]);
    case 'swap': {
      bytes.copy(copy, place, blockFrom, Math.min(bytes.length, blockFrom + length));
      return copy;
    }
  }
}

function partOf(bytes: Buffer, { at: start, end }: Place, part: Damage['part']): readonly [from: number, to: number] {
  const checksum = start + MAGIC.length + 4;
  const json = checksum + 8;
  const cells = json + bytes.readUInt32LE(checksum + 4);
  const parts = {
    magic: [start, start + MAGIC.length],
    length: [start + MAGIC.length, checksum],
    checksum: [checksum, checksum + 4],
    jsonLength: [checksum + 4, json],
    json: [json, cells],
    cells: [Math.min(cells, end - 1), end],
    anywhere: [start, end],
  } as const;
  return parts[part];
}

/** Frames whose bytes are unchanged in the file, at any position. */
const listIntact = ({ bytes, frames }: RealJournal, spoilt: Buffer) =>
  frames.filter((frame) => spoilt.includes(bytes.subarray(frame.at, frame.end)));

// ---- Rescue
// -----------------------------------------------------------------------------------------------------------

const describeFrame = ({ head, texts, rowCount, cells }: JournalFrame) =>
  JSON.stringify([head, texts, [...cells.subarray(0, rowCount * ROW_WIDTH)]]);

describe('a damaged journal', () => {
  it('gives back every undamaged frame, and the file is kept', async () => {
    const dataDir = await temporaryFolder();
    const journal = await writeJournal(dataDir);
    expect(journal.frames.length).toBe(BATCHES - FLUSHED_AFTER + 1);
    const folder = path.join(await temporaryFolder(), 'state');
    await mkdir(folder);
    const file = path.join(folder, path.basename(journalFile(dataDir, SEGMENT)));
    await fc.assert(
      fc.asyncProperty(anyDamage, async (reported) => {
        const spoilt = damage(journal, reported);
        await writeFile(file, spoilt);
        await rescueSegment(folder, SEGMENT, silentLog);
        const intact = listIntact(journal, spoilt);
        const saved: string[] = [];
        const opened = await openSegment(folder, SEGMENT, async (frame) => void saved.push(describeFrame(frame)));
        expect(opened.kind).toBe('open');
        if (opened.kind === 'open') await opened.segment.handle.close();
        if (intact.length > 0) expect(saved).toEqual(intact.map(describeFrame));
        const names = await readdir(folder);
        const kept = await Promise.all(
          names.filter((name) => name.endsWith('.damaged')).map((name) => readFile(path.join(folder, name))),
        );
        const isChanged =
          intact.length === 0 || intact.reduce((sum, { at: from, end }) => sum + end - from, 0) < spoilt.length;
        expect(kept.some((bytes) => bytes.equals(spoilt))).toBe(isChanged);
      }),
      { numRuns: 120 },
    );
  });

  it('loses only its damaged responses, duplicates none, and the store continues', async () => {
    const dataDir = await temporaryFolder();
    const journal = await writeJournal(dataDir);
    const lakeBefore = await readRows(dataDir);
    // The third response since the flush: the frames of the segment begin with its start and the open observations.
    const lost = journal.frames.filter(({ head }) => head.kind === 'batch')[2]!;
    const spoilt = Buffer.from(journal.bytes);
    spoilt[lost.at + 100]! ^= 4;
    await writeFile(journalFile(dataDir, SEGMENT), spoilt);

    const warnings: string[] = [];
    const store = await openStore(dataDir, { ...silentLog, warn: (text) => warnings.push(text) });
    const [damaged] = await listDamagedJournals(dataDir, live);
    expect(damaged).toMatchObject({
      segment: SEGMENT,
      savedFrames: journal.frames.length - 1,
      savedBytes: spoilt.length - (lost.end - lost.at),
      lostBytes: lost.end - lost.at,
      lostFrames: 1,
    });
    expect(warnings).toEqual([expect.stringContaining(`a damaged journal was moved to ${damaged!.keptAs};`)]);
    await store.append(batchAt(BATCHES));
    await store.flush(muchLater);
    await store.close();

    const rows = await readRows(dataDir);
    expect(new Set(rows).size).toBe(rows.length);
    expect(lakeBefore.filter((row) => !rows.includes(row))).toEqual([]);
    const reported = new Set(rows.map((row) => row.replace(/ [^ ]*$/, '').replace(/ \d+-\d+$/, '')));
    for (let index = 0; index <= BATCHES; index++) {
      if (index === FLUSHED_AFTER + 3) continue;
      const naive = naiveObservations();
      naive.append(batchAt(index));
      naive.closeOver(muchLater);
      for (const row of naive.rows) {
        expect(reported, `answer ${index}`).toContain(row.replace(/ [^ ]*$/, '').replace(/ \d+-\d+$/, ''));
      }
    }
    const again: string[] = [];
    const reopened = await openStore(dataDir, { ...silentLog, warn: (text) => again.push(text) });
    await reopened.close();
    expect(again).toEqual([]);
  });

  it('adds nothing to a file that was made of it before the damage', async () => {
    const dataDir = await temporaryFolder();
    const store = await openStore(dataDir);
    for (let index = 0; index < 6; index++) await store.append(batchAt(index));
    const sealed = await readFile(journalFile(dataDir, 1));
    await store.flush(muchLater);
    await store.close();
    const rows = await readRows(dataDir);
    // As if a crash had come before the segment was removed, and a disk error after it.
    sealed[Math.floor(sealed.length / 2)]! ^= 1;
    await writeFile(journalFile(dataDir, 1), sealed);
    const again = await openStore(dataDir);
    await again.flush(muchLater);
    await again.close();
    expect(await readRows(dataDir)).toEqual(rows);
    expect((await listDamagedJournals(dataDir, live)).map(({ segment }) => segment)).toEqual([1]);
  });

  it('a process killed at any step of the rescue leaves a state that the next one completes alike', async () => {
    const dataDir = await temporaryFolder();
    const journal = await writeJournal(dataDir);
    const spoilt = Buffer.from(journal.bytes).fill(0, 3000, 3600);
    const rescueAfter = async (diesAt: number) => {
      const folder = path.join(await temporaryFolder(), 'state');
      await mkdir(folder);
      const file = path.join(folder, path.basename(journalFile(dataDir, SEGMENT)));
      await writeFile(file, spoilt);
      [disk.steps, disk.diesAt] = [0, diesAt];
      const isDead = await rescueSegment(folder, SEGMENT, silentLog).then(
        () => false,
        (error: NodeJS.ErrnoException) => error.code === 'EIO',
      );
      const steps = disk.steps;
      disk.diesAt = Number.POSITIVE_INFINITY;
      // As in the store: only a journal that is still damaged is rescued.
      const opened = await openSegment(folder, SEGMENT, async () => {});
      if (opened.kind === 'open') await opened.segment.handle.close();
      else await rescueSegment(folder, SEGMENT, silentLog);
      const names = (await readdir(folder)).filter((name) => !name.endsWith('.tmp')).sort();
      const contents = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'latin1')));
      return { isDead, steps, state: names.map((name, i) => [name, contents[i]]) };
    };
    const whole = await rescueAfter(Number.POSITIVE_INFINITY);
    expect(whole.isDead).toBe(false);
    expect(whole.state).toHaveLength(3);
    expect(whole.steps).toBeGreaterThan(10);
    for (let step = 1; step <= whole.steps; step++) {
      const { isDead, state } = await rescueAfter(step);
      expect([isDead, state], `step ${step}`).toEqual([true, whole.state]);
    }
  });
});

// ---- The first format ------------------------------------------------------------------------------------------------

/** A journal of earlier versions: texts are numbered across frames. */
function encodeFirstFormat(): { readonly bytes: Buffer; readonly ends: readonly number[] } {
  const texts = createRows(1).texts;
  const pieces: Buffer[] = [];
  const encode = (head: object, rowCount: number, cells: Uint32Array, added: readonly string[]) => {
    const json = Buffer.from(JSON.stringify({ ...head, rowCount, texts: added }));
    const padding = Buffer.alloc(-json.length & 3, ' ');
    const filled = Buffer.from(cells.buffer, 0, rowCount * ROW_WIDTH * 4);
    const content = Buffer.concat([Buffer.alloc(4), json, padding, filled]);
    content.writeUInt32LE(json.length + padding.length, 0);
    const prefix = Buffer.alloc(8);
    prefix.writeUInt32LE(content.length, 0);
    prefix.writeUInt32LE(crc32(content), 4);
    pieces.push(prefix, content);
  };
  encode({ kind: 'start', formatVersion: 1, closedAt: 0, lastAnswers: [] }, 0, new Uint32Array(0), []);
  const ends = [Buffer.concat(pieces).length];
  for (const seconds of [0, 30, 60]) {
    const rows = createRows(2, texts);
    const before = texts.texts.length;
    const write = createObservationWriter(rows, { part: 'trips', rawId: `raw-${seconds}`, firstSeenAt: at(seconds) });
    write(observation({ time: at(seconds) }));
    write(observation({ position: 1, stopId: `stop-${seconds}` }));
    encode({ kind: 'batch', part: 'trips', seenAt: at(seconds), ended: [] }, 2, rows.cells, texts.texts.slice(before));
    ends.push(Buffer.concat(pieces).length);
  }
  return { bytes: Buffer.concat(pieces), ends };
}

describe('a journal of the first format', () => {
  async function openFirst(bytes: Buffer) {
    const dataDir = await temporaryFolder();
    await mkdir(path.dirname(journalFile(dataDir, 1)), { recursive: true });
    await writeFile(journalFile(dataDir, 1), bytes);
    const store = await openStore(dataDir);
    const open = [...store.listOpen()].map(({ time, stopId, rawId }) => [time, stopId, rawId]).sort();
    return { dataDir, store, open };
  }

  it('is read, and continued in the current format', async () => {
    const { dataDir, store, open } = await openFirst(encodeFirstFormat().bytes);
    expect(open).toEqual([
      [at(30), 'stop-60', 'raw-60'],
      [at(60), 'a', 'raw-60'],
    ]);
    expect(store.countClosed()).toBe(4);
    await store.append(answer(90, { ended: endOf(observation()) }));
    await store.flush(muchLater);
    await store.close();
    expect(await readRows(dataDir)).toHaveLength(6);
    expect(await listDamagedJournals(dataDir, live)).toEqual([]);
  });

  it('is rescued up to the damage, because the texts after it are unknown', async () => {
    const { bytes, ends } = encodeFirstFormat();
    bytes[ends[1]! + 40]! ^= 1;
    const { dataDir, store, open } = await openFirst(bytes);
    await store.close();
    expect(open).toEqual([
      [at(0), 'a', 'raw-0'],
      [at(30), 'stop-0', 'raw-0'],
    ]);
    expect(await listDamagedJournals(dataDir, live)).toMatchObject([
      { savedFrames: 2, lostBytes: bytes.length - ends[1]! },
    ]);
  });
});
