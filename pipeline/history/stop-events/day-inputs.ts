import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { DayFeed } from './planned-calls.ts';
import {
  findStopEventManifest,
  type StopEventDay,
  type StopEventInput,
  writeStopEventManifest,
} from './stop-event-manifest.ts';

/** The end of a Parquet file identifies its rows: counts, sizes and bounds of every column. */
const PARQUET_TAIL_BYTES = 1 << 16;

/** The inputs of a day: when one of them changes, the day is rebuilt. */
export async function listInputs(
  feeds: readonly DayFeed[],
  observationFiles: readonly string[],
): Promise<StopEventInput[]> {
  const inputs: StopEventInput[] = feeds.map(({ manifest: { sourceId, feedVersion, rulesVersion }, isBound }) => ({
    name: feedLabel(sourceId, isBound),
    hash: `${feedVersion}.${rulesVersion}`,
  }));
  for (const file of observationFiles) {
    inputs.push({ name: `observations/${path.basename(file)}`, hash: await hashTail(file) });
  }
  return inputs;
}

/**
 * Notes that inputs of a day were rewritten with the same rows, so that the day is not built again. Does nothing for a
 * day that was built from others.
 */
export async function replaceInputs(
  dataDir: string,
  { source, serviceDate }: StopEventDay,
  former: readonly StopEventInput[],
  present: readonly StopEventInput[],
): Promise<void> {
  const manifest = await findStopEventManifest(dataDir, source, serviceDate);
  const isAmong = (inputs: readonly StopEventInput[], { name, hash }: StopEventInput) =>
    inputs.some((one) => one.name === name && one.hash === hash);
  if (!manifest || !former.every((input) => isAmong(manifest.inputs, input))) return;
  const others = manifest.inputs.filter((input) => !isAmong(former, input));
  await writeStopEventManifest(dataDir, { ...manifest, inputs: [...others, ...present] });
}

/** A timetable among the inputs of a day; the hash begins with its version. */
function feedLabel(source: string, isBound: boolean): string {
  return `${isBound ? 'timetable' : 'merged'}/${source}`;
}

/** Sources and versions of the timetables among inputs, in their order. */
export function readFeedInputs(
  inputs: readonly StopEventInput[],
): { source: string; version: string; isBound: boolean }[] {
  return inputs.flatMap(({ name, hash }) => {
    const [, kind, source] = /^(timetable|merged)\/(.+)$/.exec(name) ?? [];
    return source === undefined ? [] : [{ source, version: hash.split('.')[0]!, isBound: kind === 'timetable' }];
  });
}

/** Hash of a file's size and end, so that gigabytes need not be read each night to find no change. */
async function hashTail(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - PARQUET_TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    return createHash('sha256').update(`${size} `).update(buffer.subarray(0, bytesRead)).digest('hex').slice(0, 16);
  } finally {
    await handle.close();
  }
}
