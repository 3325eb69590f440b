import type { Clock } from '../../pipeline/effects/clock.ts';
import type { Published, Realtime } from '../engine/read/realtime.ts';
import type { Timetable } from '../engine/read/timetable.ts';
import type { HeldSnapshot, SnapshotHolder } from './route-handler.ts';

/** How long the previous pair is served while newer snapshots do not match: one or two polls, and loading a timetable. */
const PAIR_WAIT_MILLISECONDS = 90_000;

/**
 * Pairs a timetable with its realtime, which refers to rows of the timetable that it was built for. While the newest
 * snapshots do not match, in whichever order they were published, the previous pair is served; after the waiting time,
 * the newest timetable is served without realtime.
 */
export function pairSnapshots(
  timetables: SnapshotHolder<Timetable>,
  realtimes: SnapshotHolder<Realtime>,
  clock: Clock,
): SnapshotHolder<Published> {
  let held: HeldSnapshot<Published> | null = null;
  let unfitSince: number | null = null;

  const mayWait = () => {
    const now = clock.nowMilliseconds();
    // A clock that was set back restarts the wait.
    unfitSince = Math.min(unfitSince ?? now, now);
    return now - unfitSince < PAIR_WAIT_MILLISECONDS;
  };
  const choose = (
    newest: HeldSnapshot<Timetable>,
    realtime: HeldSnapshot<Realtime> | null,
  ): HeldSnapshot<Published> => {
    const wanted = realtime?.value.manifest.timetableId;
    if (wanted === undefined || wanted === newest.dataVersion) {
      unfitSince = null;
      return pair(newest, realtime);
    }
    // Without realtime, waiting would keep nothing.
    if (!held?.value.realtime || !mayWait()) return pair(newest, null);
    if (held.timetableVersion !== wanted) return held;
    return pair({ value: held.value.timetable, dataVersion: wanted }, realtime);
  };
  return {
    current() {
      const newest = timetables.current();
      if (!newest) return null;
      const next = choose(newest, realtimes.current());
      // The same pair stays the same object, so that caches attached to it remain valid.
      if (held?.dataVersion !== next.dataVersion) held = next;
      return held;
    },
  };
}

function pair(timetable: HeldSnapshot<Timetable>, realtime: HeldSnapshot<Realtime> | null): HeldSnapshot<Published> {
  return {
    value: { timetable: timetable.value, realtime: realtime?.value ?? null },
    dataVersion: realtime ? `${timetable.dataVersion}.${realtime.dataVersion}` : timetable.dataVersion,
    timetableVersion: timetable.dataVersion,
  };
}
