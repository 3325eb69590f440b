import { findStopEventManifest, listStopEventDays } from '../../history/stop-events/stop-event-manifest.ts';
import type { SourceId } from '../../model/ids.ts';
import { addDays, type ServiceDate, toEpochDay } from '../../model/service-time.ts';
import { CALIBRATION_DAYS } from '../model/calibrate.ts';
import { type DayShares, UnfitWindowError, WARM_DAYS } from '../model/share-out-days.ts';

/** Six weeks: older days seldom add anything. */
const MAX_LEARNING_DAYS = 42;
/** Beyond this, the oldest days are left out; as much as a machine of 4 GB can learn from. */
const MAX_CALLS = 6_000_000;
const MIN_LEARNING_DAYS = 4;
/** Last days, on which a new model is compared with the previous one. */
const COMPARED_DAYS = 3;

/** A day of the record used for learning. */
export interface LearningDay {
  readonly serviceDate: ServiceDate;
  readonly calls: number;
  /** Of its rows: equal hashes mean equal rows. */
  readonly rowsHash: string;
}

/**
 * The newest days of a source's record.
 * @param lastDay later days are ignored; null: no limit
 * @returns oldest first; empty where nothing was observed
 */
export async function listLearningDays(
  dataDir: string,
  source: SourceId,
  lastDay: ServiceDate | null,
): Promise<LearningDay[]> {
  const dates = (await listStopEventDays(dataDir))
    .filter((day) => day.source === source && (lastDay === null || day.serviceDate <= lastDay))
    .map(({ serviceDate }) => serviceDate);
  const newest = dates.at(-1);
  const days: LearningDay[] = [];
  let calls = 0;
  for (const serviceDate of dates.reverse()) {
    if (serviceDate <= addDays(newest!, -MAX_LEARNING_DAYS)) break;
    const manifest = await findStopEventManifest(dataDir, source, serviceDate);
    if (!manifest || manifest.counts.observed === 0) continue;
    calls += manifest.counts.scheduled;
    if (calls > MAX_CALLS && days.length >= MIN_LEARNING_DAYS) break;
    days.push({ serviceDate, calls: manifest.counts.scheduled, rowsHash: manifest.rowsHash });
  }
  return days.reverse();
}

/**
 * Splits the days by time: the first only warm up the statistics, then follow the days for training, those for
 * validation, and the last ones, on which models are compared. A short record has less of each.
 * @throws UnfitWindowError when there are too few
 */
export function shareOutLearningDays(days: readonly LearningDay[]): DayShares {
  if (days.length < MIN_LEARNING_DAYS) {
    throw new UnfitWindowError(`${days.length} days with observations; learning needs at least ${MIN_LEARNING_DAYS}`);
  }
  const first = toEpochDay(days[0]!.serviceDate);
  const testTo = toEpochDay(days.at(-1)!.serviceDate);
  const span = testTo - first + 1;
  const part = (share: number, most: number) => Math.max(1, Math.min(most, Math.round(share * span)));
  const testFrom = testTo + 1 - part(0.1, COMPARED_DAYS);
  const validationFrom = testFrom - part(0.2, CALIBRATION_DAYS);
  return { learnFrom: first + part(0.25, WARM_DAYS), validationFrom, testFrom, testTo };
}
