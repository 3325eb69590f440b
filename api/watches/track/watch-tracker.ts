import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { Published } from '../../engine/read/realtime.ts';
import type { References } from '../../engine/read/references.ts';
import type { Timetable } from '../../engine/read/timetable.ts';
import { judgeOccurrence, restUntilNext } from '../judge/judge-occurrence.ts';
import { judgeLineWatch, judgeTripWatch, type WatchVerdict } from '../judge/judge-watch.ts';
import { indexLineAlerts, type LineAlertIndex, seeLines } from '../judge/see-lines.ts';
import { type FoundLeg, seeDeparture, seeTrip } from '../judge/see-trip.ts';
import type { SeenTrip } from '../judge/seen.ts';
import type { Verdict } from '../store/watch-store.ts';
import type { LineSpec, StoredWatch, TripSpec, WatchMemory, WatchRepeat, WatchSpec } from '../watch.ts';
import { findOccurrence, listWatchedDepartures, type Occurrence, type WatchedDeparture } from './occurrences.ts';
import { createRideTracker, type TrackedRide } from './ride-tracker.ts';

/** A watch in memory, with the rides that it depends on. */
interface TrackedWatch {
  watch: StoredWatch;
  /** Of a watched trip, in travel order; none of watched lines. */
  readonly rides: readonly TrackedRide[];
  /** When it is judged again though nothing has changed. */
  recheckAt: number;
}

/** The departures of a repeated watch on one date. */
interface KnownDepartures {
  readonly timetable: Timetable;
  readonly date: string;
  readonly departures: readonly WatchedDeparture[];
}

type SealJourney = References['sealJourney'];

/** A judgement, and when the next one is due at the latest. */
interface TrackedVerdict {
  readonly verdict: Verdict;
  readonly recheckAt: number;
}

interface Judgement {
  readonly emitted: WatchVerdict;
  readonly recheckAt: number;
  /** Expected arrival at the end of the trip; null if unknown. */
  readonly arrival: number | null;
}

/** Maximum interval of judging a trip under way: a forecast may have become too old to count. */
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
export class WatchTracker {
  readonly #watches = new Map<string, TrackedWatch>();
  readonly #rides = createRideTracker();
  readonly #sealJourney: SealJourney;
  /** Departures of the watches that are being judged; kept until their date or the timetable changes. */
  readonly #departures = new WeakMap<LineSpec, KnownDepartures>();
  #published: Published | null = null;
  #lineAlerts: { readonly of: Published; readonly index: LineAlertIndex | null } | null = null;

  /** @param sealJourney makes journey references for events of repeated watches, which have none from the request */
  constructor(sealJourney: SealJourney) {
    this.#sealJourney = sealJourney;
  }

  /** @param pause called between steps, so that requests are answered meanwhile */
  async followTimetable(published: Published, pause: () => Promise<void>): Promise<void> {
    this.#published = published;
    await this.#rides.followTimetable(published, pause);
  }

  follow(published: Published): void {
    this.#published = published;
    this.#rides.follow(published);
  }

  /** Looks at all rides; `listDue` then returns the watches to judge. */
  look(instant: Instant): void {
    this.#rides.look(instant);
  }

  /** Watches that may have events. @param hasLooked false: only those whose time has come */
  *listDue(instant: Instant, hasLooked: boolean): Generator<TrackedWatch> {
    for (const tracked of this.#watches.values()) {
      const { rides } = tracked;
      // Lines are cheap to judge, and most of what they depend on is common to all.
      const isChanged = hasLooked && (rides.length === 0 || rides.some((ride) => ride.hasChanged));
      if ((isChanged && tracked.watch.memory.status !== 'ended') || tracked.recheckAt <= instant) yield tracked;
    }
  }

  judge(watch: StoredWatch, instant: Instant): TrackedVerdict {
    const rides = this.#watches.get(watch.id)?.rides ?? [];
    const { emitted, recheckAt, arrival } = this.#judgeSpec(watch.spec, watch.memory, rides, instant);
    const { memory, events } = emitted;
    return { verdict: { memory, events, expiresAt: findExtension(watch, arrival) }, recheckAt };
  }

  /** The first judgement of a watch, or of one whose trip or lines were replaced. */
  judgeNew(spec: WatchSpec, instant: Instant): TrackedVerdict {
    const rides = this.#holdRides(spec);
    try {
      const nothing: WatchMemory = { status: 'unknown', legs: [], disruptions: {}, optionsDue: null };
      const { emitted, recheckAt, arrival } = this.#judgeSpec(spec, nothing, rides, instant);
      return { verdict: { ...emitted, expiresAt: findExpiry(arrival, instant) }, recheckAt };
    } finally {
      this.#release(rides);
    }
  }

  /** Adds, replaces or, if it was removed, drops a watch; an older state of it is ignored. */
  track(watch: StoredWatch, recheckAt: number): void {
    const known = this.#watches.get(watch.id);
    if (known && known.watch.change > watch.change) return;
    if (known && !watch.isRemoved && hasSameLegs(known.watch.spec, watch.spec)) {
      known.watch = watch;
      known.recheckAt = recheckAt;
      return;
    }
    // The new rides are held before the old ones are released, so that shared ones stay.
    const rides = watch.isRemoved ? [] : this.#holdRides(watch.spec);
    if (known) this.#release(known.rides);
    if (watch.isRemoved) this.#watches.delete(watch.id);
    else this.#watches.set(watch.id, { watch, rides, recheckAt });
  }

  get(id: string): TrackedWatch | undefined {
    return this.#watches.get(id);
  }

  list(): Iterable<TrackedWatch> {
    return this.#watches.values();
  }

  get size(): number {
    return this.#watches.size;
  }

  #holdRides(spec: WatchSpec): TrackedRide[] {
    return spec.kind === 'line' ? [] : spec.legs.map((leg) => this.#rides.hold(leg));
  }

  #release(rides: readonly TrackedRide[]): void {
    for (const ride of rides) this.#rides.release(ride);
  }

  #judgeSpec(spec: WatchSpec, memory: WatchMemory, rides: readonly TrackedRide[], instant: Instant): Judgement {
    if (spec.kind === 'line' && spec.repeat) return this.#judgeRepeated(spec, spec.repeat, memory, instant);
    if (spec.kind === 'line') {
      const emitted = judgeLineWatch(spec, memory, seeLines(this.#getLineAlerts(), spec, instant), instant);
      return { emitted, recheckAt: Math.min(emitted.recheckAt ?? Infinity, instant + LINE_SECONDS), arrival: null };
    }
    const seen = memory.status === 'ended' ? null : this.#see(spec, rides, instant);
    const emitted = judgeTripWatch(spec, memory, seen, instant);
    const arrival = seen && seen.legs.at(-1)!.arrival.expected;
    if (emitted.memory.status === 'ended') return { emitted, recheckAt: Infinity, arrival };
    return { emitted, recheckAt: Math.min(emitted.recheckAt ?? Infinity, findNextLook(seen, instant)), arrival };
  }

  #judgeRepeated(spec: LineSpec, repeat: WatchRepeat, memory: WatchMemory, instant: Instant): Judgement {
    const published = this.#published;
    const occurrence = findOccurrence(repeat, instant);
    if (!published || instant < occurrence.judgedFrom) {
      return { emitted: restUntilNext(memory), recheckAt: occurrence.judgedFrom, arrival: null };
    }
    const departures = this.#listDepartures(published, spec, occurrence).map(({ name, tripKey, ride }) => {
      const journeyRef = this.#sealJourney({ tripKey, day: ride.day });
      return { name, ...seeDeparture(published, { journeyRef, ride }, instant) };
    });
    const polledAt = departures[0]?.polledAt ?? instant;
    const disruptions = seeLines(this.#getLineAlerts(), spec, instant);
    const emitted = judgeOccurrence(
      spec,
      memory,
      { date: occurrence.date, polledAt, departures, disruptions },
      instant,
    );
    return { emitted, recheckAt: Math.min(emitted.recheckAt ?? Infinity, instant + LINE_SECONDS), arrival: null };
  }

  #listDepartures({ timetable }: Published, spec: LineSpec, occurrence: Occurrence): readonly WatchedDeparture[] {
    const known = this.#departures.get(spec);
    if (known?.timetable === timetable && known.date === occurrence.date) return known.departures;
    const departures = listWatchedDepartures(timetable, spec, occurrence);
    this.#departures.set(spec, { timetable, date: occurrence.date, departures });
    return departures;
  }

  #see(spec: TripSpec, rides: readonly TrackedRide[], instant: Instant): SeenTrip | null {
    const found: FoundLeg[] = [];
    for (const [i, ride] of rides.entries()) {
      const present = this.#rides.find(ride);
      if (!present) return null;
      found.push({ journeyRef: spec.legs[i]!.journeyRef, ride: present });
    }
    return this.#published && seeTrip(this.#published, found, instant);
  }

  #getLineAlerts(): LineAlertIndex | null {
    const published = this.#published;
    if (!published) return null;
    if (this.#lineAlerts?.of !== published) {
      this.#lineAlerts = { of: published, index: indexLineAlerts(published) };
    }
    return this.#lineAlerts.index;
  }
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
