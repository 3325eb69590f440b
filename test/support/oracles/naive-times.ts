/** A call as one source reports it in one answer. Delays in seconds; null if not reported. */
export interface NaiveReport {
  readonly arrival: number | null;
  readonly departure: number | null;
  readonly isSkipped: boolean;
}

interface NaiveEvent {
  readonly scheduled: number;
  readonly expected: number;
  /** Reported, or propagated from a report. */
  readonly isLive: boolean;
  readonly isCancelled: boolean;
}

export interface NaiveEnds {
  readonly continues: boolean;
  readonly isContinuation: boolean;
  /** Delay that the vehicle brings from its previous trip; 0 if it is on time. */
  readonly inheritedSeconds: number;
}

export interface NaiveTimes {
  readonly arrival: NaiveEvent;
  readonly departure: NaiveEvent;
}

function withoutReports(
  reports: readonly (NaiveReport | null)[],
  events: readonly Event[],
  isRefused: (event: Event) => boolean,
): (NaiveReport | null)[] {
  return reports.map((report, call) => {
    if (!report) return null;
    const [arrival, departure] = [events[2 * call]!, events[2 * call + 1]!];
    return {
      ...report,
      arrival: isRefused(arrival) ? null : report.arrival,
      departure: isRefused(departure) ? null : report.departure,
    };
  });
}

interface Event {
  readonly scheduled: number;
  readonly delay: number | null;
  readonly isObserved: boolean;
  readonly isCancelled: boolean;
}

/** Contradictions up to this limit are smoothed; see decisions, section 9. */
const SMOOTHED_SECONDS = 120;

/**
 * The times of a trip, computed literally by the rule: every pair of events is compared, every choice of reports is
 * tried.
 * @param isObserved whether a reported time counts as an observation
 * @param ends whether the vehicle continues as another trip, or came from one
 */
export function naiveTimes(
  plan: readonly { readonly arrival: number; readonly departure: number }[],
  reports: readonly (NaiveReport | null)[],
  isObserved: (time: number) => boolean,
  ends: NaiveEnds = { continues: false, isContinuation: false, inheritedSeconds: 0 },
): NaiveTimes[] {
  const events = listEvents(plan, reports, isObserved, ends);
  const running = events.filter(({ isCancelled }) => !isCancelled);
  const reportedTimes = keepPossible(running);
  const isRefused = (event: Event) => event.delay !== null && reportedTimes[running.indexOf(event)] === null;
  // A refused report counts as if it had never been made.
  if (running.some(isRefused)) return naiveTimes(plan, withoutReports(reports, events, isRefused), isObserved, ends);
  const carried = carry(running, reportedTimes, ends.inheritedSeconds);
  const times = new Map<Event, { expected: number; isLive: boolean }>();
  running.forEach((event, i) => {
    const before = running.slice(0, i).map((other) => times.get(other)!.expected);
    const after = reportedTimes.slice(i).filter((time) => time !== null);
    const wanted = reportedTimes[i] ?? carried[i] ?? event.scheduled;
    const expected = Math.min(Math.max(wanted, ...before), ...after);
    const isLive = reportedTimes[i] !== null || carried[i] !== null || expected !== event.scheduled;
    times.set(event, { expected, isLive });
  });
  const show = (event: Event): NaiveEvent => ({
    scheduled: event.scheduled,
    isCancelled: event.isCancelled,
    ...(times.get(event) ?? { expected: event.scheduled, isLive: false }),
  });
  return plan.map((_, call) => ({ arrival: show(events[2 * call]!), departure: show(events[2 * call + 1]!) }));
}

function listEvents(
  plan: Parameters<typeof naiveTimes>[0],
  reports: Parameters<typeof naiveTimes>[1],
  isObserved: (time: number) => boolean,
  { continues, isContinuation }: NaiveEnds,
): Event[] {
  const isSkipped = (call: number) => reports[call]?.isSkipped === true;
  const calls = plan.map((_, call) => call);
  const last = plan.length - 1;
  return calls.flatMap((call) => {
    const isEnd = !continues && calls.slice(call + 1).every(isSkipped);
    const isBegin = !isContinuation && calls.slice(0, call).every(isSkipped);
    const event = (name: 'arrival' | 'departure', isAway: boolean): Event => {
      const scheduled = plan[call]![name];
      const delay = isSkipped(call) ? null : (reports[call]?.[name] ?? null);
      const observed = delay !== null && isObserved(scheduled + delay);
      return { scheduled, delay, isObserved: observed, isCancelled: isSkipped(call) || (isAway && !observed) };
    };
    const [arrival, departure] = [event('arrival', isBegin), event('departure', isEnd)];
    // The first call has no arrival and the last one no departure: these equal the other event.
    if (call === 0) return [{ ...arrival, isCancelled: departure.isCancelled }, departure];
    return [arrival, call === last ? { ...departure, isCancelled: arrival.isCancelled } : departure];
  });
}

/** The reported times that can all be true, each moved a little if that is sufficient; null for the others. */
function keepPossible(events: readonly Event[]): (number | null)[] {
  const times = events.map(({ scheduled, delay }) => (delay === null ? null : scheduled + delay));
  const reported = times.flatMap((time, i) => (time === null ? [] : i));
  const best = chooseBest(events, times as number[], reported);
  return times.map((time, i) => {
    if (time === null || best.includes(i)) return time;
    const earliest = Math.max(0, ...best.filter((k) => k < i).map((k) => times[k]!));
    const latest = Math.min(Number.POSITIVE_INFINITY, ...best.filter((k) => k > i).map((k) => times[k]!));
    const moved = Math.min(Math.max(time, earliest), latest);
    return Math.abs(moved - time) <= SMOOTHED_SECONDS ? moved : null;
  });
}

function chooseBest(events: readonly Event[], times: readonly number[], reported: readonly number[]): number[] {
  let best: number[] = [];
  const weigh = (chosen: readonly number[]) => chosen.reduce((sum, i) => sum + (events[i]!.isObserved ? 10_000 : 1), 0);
  const isBetter = (chosen: readonly number[]) => {
    if (weigh(chosen) !== weigh(best)) return weigh(chosen) > weigh(best);
    // Equal weights: the choice whose last report is earlier wins, then the one before, and so on.
    for (let back = 1; back <= Math.min(chosen.length, best.length); back++) {
      const difference = chosen.at(-back)! - best.at(-back)!;
      if (difference !== 0) return difference < 0;
    }
    return false;
  };
  const weights = reported.map((i) => weigh([i]));
  const extend = (chosen: number[], from: number): void => {
    if (isBetter(chosen)) best = chosen;
    // Even with all remaining reports it would weigh less.
    if (weigh(chosen) + weights.slice(from).reduce((sum, weight) => sum + weight, 0) < weigh(best)) return;
    for (let next = from; next < reported.length; next++) {
      const i = reported[next]!;
      if (chosen.length === 0 || times[chosen.at(-1)!]! <= times[i]!) extend([...chosen, i], next + 1);
    }
  };
  // If no report contradicts one on the other side, each side is chosen separately.
  const cut = reported.findIndex(
    (_, k) =>
      k > 0 &&
      Math.max(...reported.slice(0, k).map((i) => times[i]!)) <= Math.min(...reported.slice(k).map((i) => times[i]!)),
  );
  if (cut > 0) {
    return [...chooseBest(events, times, reported.slice(0, cut)), ...chooseBest(events, times, reported.slice(cut))];
  }
  extend([], 0);
  return best;
}

/** The delay of the previous report, as reported; before the first report, that of the vehicle's previous trip. */
function carry(
  events: readonly Event[],
  reportedTimes: readonly (number | null)[],
  inheritedSeconds: number,
): (number | null)[] {
  return events.map(({ scheduled }, i) => {
    if (reportedTimes[i] !== null) return null;
    const origin = reportedTimes.findLastIndex((time, k) => k < i && time !== null);
    if (origin < 0) return inheritedSeconds > 0 ? scheduled + inheritedSeconds : null;
    return scheduled + reportedTimes[origin]! - events[origin]!.scheduled;
  });
}
