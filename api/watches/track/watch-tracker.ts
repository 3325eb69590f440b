import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Published } from '../../engine/read/realtime.ts';
import { judgeLineWatch, judgeTripWatch, type WatchVerdict } from '../judge/judge-watch.ts';
import { indexLineNews, type LineNewsIndex, seeLines } from '../judge/see-lines.ts';
import { type FoundLeg, seeTrip } from '../judge/see-trip.ts';
import type { SeenTrip } from '../judge/seen.ts';
import type { Verdict } from '../store/watch-store.ts';
import type { StoredWatch, TripSpec, WatchMemory, WatchSpec } from '../watch.ts';
import { createRideTracker, type TrackedRide } from './ride-tracker.ts';

/** A watch in memory, with the rides that it depends on. */
interface TrackedWatch {
  watch: StoredWatch;
  /** Of a watched trip, in travel order; none of watched lines. */
  readonly rides: readonly TrackedRide[];
  /** When it is judged again though nothing has changed. */
  recheckAt: number;
}

/** A judgement, and when the next one is due at the latest. */
interface TrackedVerdict {
  readonly verdict: Verdict;
  readonly recheckAt: number;
}

/** A trip under way is judged at least so often: a forecast may have become too old to count. */
const MAX_UNJUDGED_SECONDS = 300;
/** How long before its departure a trip counts as under way. */
const UNDER_WAY_SECONDS = 3600;
/** Alerts of lines begin and end by the clock. */
const LINE_SECONDS = 30;
/** How long a watch outlives the last arrival, unless the app says otherwise. */
const KEPT_AFTER_ARRIVAL_SECONDS = 6 * 3600;
/** The end follows the arrival only when it has moved by so much: not each minute of delay is a write. */
const MIN_EXTENSION_SECONDS = 1800;
const MAX_WATCH_SECONDS = 90 * 86_400;

/** All watches of the store, followed from one pair of snapshots to the next. */
export interface WatchTracker {
  followTimetable(published: Published, pause: () => Promise<void>): Promise<void>;
  follow(published: Published): void;
  /** Looks at all rides; `listDue` then knows which watches are to be judged. */
  look(instant: Instant): void;
  /** Watches that may have something to tell. @param hasLooked false: only those whose time has come */
  listDue(instant: Instant, hasLooked: boolean): Generator<TrackedWatch>;
  judge(watch: StoredWatch, instant: Instant): TrackedVerdict;
  /** The first judgement of a watch, or of one that was given something else to watch. */
  judgeNew(spec: WatchSpec, instant: Instant): TrackedVerdict;
  /** Adds, replaces or, where it is removed, drops a watch; an older state of it is ignored. */
  track(watch: StoredWatch, recheckAt: number): void;
  get(id: string): TrackedWatch | undefined;
  list(): Iterable<TrackedWatch>;
  readonly size: number;
}

export function createWatchTracker(): WatchTracker {
  const watches = new Map<string, TrackedWatch>();
  const rides = createRideTracker();
  let published: Published | null = null;
  let lineNews: { readonly of: Published; readonly index: LineNewsIndex | null } | null = null;

  const getLineNews = () => {
    if (!published) return null;
    if (lineNews?.of !== published) lineNews = { of: published, index: indexLineNews(published) };
    return lineNews.index;
  };
  const see = (spec: TripSpec, held: readonly TrackedRide[], instant: Instant): SeenTrip | null => {
    const found: FoundLeg[] = [];
    for (const [i, ride] of held.entries()) {
      const present = rides.find(ride);
      if (!present) return null;
      found.push({ journeyRef: spec.legs[i]!.journeyRef, ride: present });
    }
    return published && seeTrip(published, found, instant);
  };
  const judgeSpec = (
    spec: WatchSpec,
    memory: WatchMemory,
    held: readonly TrackedRide[],
    instant: Instant,
  ): { readonly emitted: WatchVerdict; readonly recheckAt: number; readonly arrival: number | null } => {
    if (spec.kind === 'line') {
      const emitted = judgeLineWatch(spec, memory, seeLines(getLineNews(), spec, instant), instant);
      return { emitted, recheckAt: Math.min(emitted.recheckAt ?? Infinity, instant + LINE_SECONDS), arrival: null };
    }
    const seen = memory.status === 'ended' ? null : see(spec, held, instant);
    const emitted = judgeTripWatch(spec, memory, seen, instant);
    const arrival = seen && seen.legs.at(-1)!.arrival.expected;
    if (emitted.memory.status === 'ended') return { emitted, recheckAt: Infinity, arrival };
    return { emitted, recheckAt: Math.min(emitted.recheckAt ?? Infinity, findNextLook(seen, instant)), arrival };
  };
  const release = ({ rides: held }: TrackedWatch) => held.forEach((ride) => void rides.release(ride));

  return {
    async followTimetable(next, pause) {
      published = next;
      await rides.followTimetable(next, pause);
    },
    follow(next) {
      published = next;
      rides.follow(next);
    },
    look: (instant) => rides.look(instant),
    *listDue(instant, hasLooked) {
      for (const tracked of watches.values()) {
        const { rides } = tracked;
        // Lines are cheap to judge, and most of what they depend on is common to all.
        const isChanged = hasLooked && (rides.length === 0 || rides.some((ride) => ride.hasChanged));
        if ((isChanged && tracked.watch.memory.status !== 'ended') || tracked.recheckAt <= instant) yield tracked;
      }
    },
    judge(watch, instant) {
      const held = watches.get(watch.id)?.rides ?? [];
      const { emitted, recheckAt, arrival } = judgeSpec(watch.spec, watch.memory, held, instant);
      const { memory, events } = emitted;
      return { verdict: { memory, events, expiresAt: findExtension(watch, arrival) }, recheckAt };
    },
    judgeNew(spec, instant) {
      const held = spec.kind === 'line' ? [] : spec.legs.map((leg) => rides.hold(leg));
      try {
        const nothing: WatchMemory = { status: 'unknown', legs: [], disruptions: {}, optionsDue: null };
        const { emitted, recheckAt, arrival } = judgeSpec(spec, nothing, held, instant);
        return { verdict: { ...emitted, expiresAt: findExpiry(arrival, instant) }, recheckAt };
      } finally {
        held.forEach((ride) => void rides.release(ride));
      }
    },
    track(watch, recheckAt) {
      const known = watches.get(watch.id);
      if (known && known.watch.change > watch.change) return;
      if (known && !watch.isRemoved && hasSameLegs(known.watch.spec, watch.spec)) {
        known.watch = watch;
        known.recheckAt = recheckAt;
        return;
      }
      // The new rides are held before the old ones are released, so that shared ones stay.
      const { spec } = watch;
      const held = watch.isRemoved || spec.kind === 'line' ? [] : spec.legs.map((leg) => rides.hold(leg));
      if (known) release(known);
      if (watch.isRemoved) watches.delete(watch.id);
      else watches.set(watch.id, { watch, rides: held, recheckAt });
    },
    get: (id) => watches.get(id),
    list: () => watches.values(),
    get size() {
      return watches.size;
    },
  };
}

/** The next instant at which time alone may change something. */
function findNextLook(seen: SeenTrip | null, instant: Instant): number {
  if (!seen) return instant + MAX_UNJUDGED_SECONDS;
  const times = seen.legs.flatMap(({ departure, arrival }) => [departure.expected, arrival.expected]);
  const begin = times[0]! - UNDER_WAY_SECONDS;
  if (begin > instant) return begin;
  return Math.min(instant + MAX_UNJUDGED_SECONDS, ...times.filter((time) => time > instant));
}

/** The end of a watch whose app names none. @param arrival null where it is not known */
export function findExpiry(arrival: number | null, instant: Instant): Instant {
  const end = Math.max(arrival ?? instant, instant) + KEPT_AFTER_ARRIVAL_SECONDS;
  return Math.min(end, instant + MAX_WATCH_SECONDS) as Instant;
}

/** A watch without an explicit end lasts longer if its trip arrives late. */
function findExtension({ spec, expiresAt }: StoredWatch, arrival: number | null): Instant | null {
  if (spec.kind === 'line' || spec.until !== null || arrival === null) return null;
  const end = arrival + KEPT_AFTER_ARRIVAL_SECONDS;
  return end >= expiresAt + MIN_EXTENSION_SECONDS ? (end as Instant) : null;
}

export function hasSameLegs(a: WatchSpec, b: WatchSpec): boolean {
  if (a.kind === 'line' || b.kind === 'line') return a.kind === b.kind;
  return a.legs.length === b.legs.length && a.legs.every((leg, i) => isSameLeg(leg, b.legs[i]!));
}

function isSameLeg(a: TripSpec['legs'][number], b: TripSpec['legs'][number]): boolean {
  return a.journeyRef === b.journeyRef && a.originId === b.originId && a.destinationId === b.destinationId;
}
