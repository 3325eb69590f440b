import type { Clock } from '../../pipeline/effects/clock.ts';
import type { Published, Realtime } from '../engine/realtime.ts';
import type { Timetable } from '../engine/timetable.ts';
import type { HeldSnapshot, SnapshotHolder } from './route-handler.ts';

/** How long a new timetable waits for a realtime snapshot that was made for it. */
const PATIENCE_MILLISECONDS = 90_000;

/**
 * One timetable and the present moment over it, always of one piece: a realtime snapshot names rows of the timetable
 * it was made for. When a new timetable is published the pair before it serves on until its realtime is there, and not
 * longer than a poll or two; then the timetable goes alone.
 */
export function pairSnapshots(
  timetables: SnapshotHolder<Timetable>,
  realtimes: SnapshotHolder<Realtime>,
  clock: Clock,
): SnapshotHolder<Published> {
  let held: HeldSnapshot<Published> | null = null;
  let waitingFor: { readonly id: string; readonly since: number } | null = null;

  const mayWait = (id: string) => {
    const now = clock.nowMilliseconds();
    if (waitingFor?.id !== id) waitingFor = { id, since: now };
    return now - waitingFor.since < PATIENCE_MILLISECONDS;
  };
  const choose = (
    newest: HeldSnapshot<Timetable>,
    realtime: HeldSnapshot<Realtime> | null,
  ): HeldSnapshot<Published> => {
    const wanted = realtime?.value.manifest.timetableId;
    if (wanted === newest.dataVersion) return pair(newest, realtime);
    const before = held && held.timetableVersion === wanted && wanted !== undefined ? held : null;
    if (!before || !mayWait(newest.dataVersion)) return pair(newest, null);
    return pair({ value: before.value.timetable, dataVersion: wanted! }, realtime);
  };
  return {
    current() {
      const newest = timetables.current();
      if (!newest) return null;
      const next = choose(newest, realtimes.current());
      // The same pair stays the same object: nothing that is remembered with it is made anew.
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
