import path from 'node:path';
import type { Instant, ServiceDate } from '../model/service-time.ts';
import { isOnRecord, writePastArchive } from './past-archive.ts';
import type { Simulator } from './simulator/create-simulator.ts';

export interface PastRequest {
  /** Where the archives go, one file a day. */
  readonly folder: string;
  readonly dates: readonly ServiceDate[];
  readonly now: Instant;
}

export interface WrittenDay {
  readonly date: ServiceDate;
  readonly file: string;
  /** Calls of the day. */
  readonly rows: number;
}

/**
 * Writes the archives of past days, in the order of the dates; what lies there already is written anew, to the byte
 * the same. Days on which vehicles are still on the way are left out.
 * @param signal ends it after the day in hand
 */
export async function writePast(
  simulator: Simulator,
  { folder, dates, now }: PastRequest,
  signal: AbortSignal,
): Promise<readonly WrittenDay[]> {
  const written: WrittenDay[] = [];
  for (const date of dates) {
    if (signal.aborted) break;
    const day = simulator.pastDay(date, isOnRecord);
    if (day.endsAt > now) continue;
    const file = path.join(folder, `${date}.csv.gz`);
    written.push({ date, file, rows: await writePastArchive(day, file) });
  }
  return written;
}
