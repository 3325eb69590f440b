const BAR_WIDTH = 20;

/** State of a backfill, for one line. */
interface BackfillState {
  /** Plural. */
  readonly noun: string;
  readonly done: number;
  readonly total: number;
  readonly elapsedSeconds: number;
}

/** e.g. `[#####---------------] 12 of 48 days, 6.0 a minute, 6 min to go` */
export function renderBackfillProgress({ noun, done, total, elapsedSeconds }: BackfillState): string {
  const filled = total === 0 ? BAR_WIDTH : Math.floor((BAR_WIDTH * done) / total);
  const bar = '#'.repeat(filled).padEnd(BAR_WIDTH, '-');
  const count = `[${bar}] ${done} of ${total} ${noun}`;
  if (done === 0 || elapsedSeconds <= 0) return count;
  const perMinute = (60 * done) / elapsedSeconds;
  const secondsLeft = ((total - done) * elapsedSeconds) / done;
  return `${count}, ${renderRate(perMinute)}, ${renderSeconds(secondsLeft)} to go`;
}

function renderRate(perMinute: number): string {
  return perMinute >= 1 ? `${perMinute.toFixed(1)} a minute` : `${(perMinute * 60).toFixed(1)} an hour`;
}

/** e.g. `45 s`, `2.5 min`, `12 min`, `3 h 05 min`; a duration for people. */
export function renderSeconds(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  if (seconds < 597) return `${(seconds / 60).toFixed(1)} min`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
