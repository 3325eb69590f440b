import { type Clock, nowInstant } from '../../pipeline/effects/clock.ts';
import { localDate } from '../../pipeline/model/service-time.ts';
import { ALL_SOURCES } from '../../pipeline/snapshots/history-contract.ts';
import { AUSTRIA } from '../engine/timetable.ts';
import type { SnapshotHolder } from '../plugins/route-handler.ts';
import type { Punctuality } from '../site/punctuality-page.ts';
import type { History } from './open-history.ts';
import { DEFAULT_DAYS, defaultPeriod } from './question.ts';

/** The default period for the page of the site; null while it does not lie ready. */
export function findPunctuality(histories: SnapshotHolder<History>, clock: Clock): Punctuality | null {
  const history = histories.current()?.value;
  const period = defaultPeriod(localDate(nowInstant(clock), AUSTRIA), DEFAULT_DAYS.v1);
  const numbers = history?.findReady({ period, source: ALL_SOURCES, line: null, operator: null, stops: null });
  return history && numbers ? { numbers, definition: history.manifest.definition } : null;
}
