import type { Instant, ServiceTime } from '../../model/service-time.ts';
import { forecastRun, type KnownTimes } from './forecast-run.ts';
import { locateVehicle } from './locate-vehicle.ts';
import type { PlannedRun } from './planned-run.ts';
import type { PlatformChange, RunHistory } from './run-history.ts';
import type { Outage } from './service-day.ts';
import type { SimulatedCall, SimulatedTrip } from './simulated-state.ts';

/** What is known of a run at a moment, as upstreams would tell it. */
export interface Telling {
  /** Seconds of the service day. */
  readonly now: number;
  readonly outages: readonly Outage[];
  readonly seed: number;
}

/** A run that runs, or will. */
export function tellRun(run: PlannedRun, history: RunHistory, { now, outages, seed }: Telling): SimulatedTrip {
  const skips = history.skips.filter(({ knownAt }) => knownAt <= now);
  const isSkipped = (call: number) => skips.some(({ firstCall, lastCall }) => call >= firstCall && call <= lastCall);
  const isSilent = isLost(run, outages, now);
  return {
    ...nameTrip(run),
    state: run.isAdded ? 'added' : 'scheduled',
    isSilent,
    calls: tellCalls(run, forecastRun(run, history, now, seed), {
      isSkipped,
      platformChanges: history.platformChanges.filter(({ knownAt }) => knownAt <= now),
    }),
    vehicle: isSilent ? null : locateVehicle(run, history, isSkipped, now),
  };
}

/** A run that will not run: as planned until that is known, cancelled from then on. */
export function tellCancelled(run: PlannedRun, { now, outages }: Telling): SimulatedTrip {
  const planned: KnownTimes = {
    arrivals: run.times.map(({ arrivalSeconds }) => run.startSeconds + arrivalSeconds),
    departures: run.times.map(({ departureSeconds }) => run.startSeconds + departureSeconds),
  };
  return {
    ...nameTrip(run),
    state: run.cancelledAt! <= now ? 'cancelled' : 'scheduled',
    isSilent: isLost(run, outages, now),
    calls: tellCalls(run, planned, { isSkipped: () => false, platformChanges: [] }),
    vehicle: null,
  };
}

function isLost(run: PlannedRun, outages: readonly Outage[], now: number): boolean {
  const { id } = run.line.timetable.line;
  return (
    run.isSilent ||
    outages.some(({ lineId, fromSeconds, toSeconds }) => lineId === id && now >= fromSeconds && now < toSeconds)
  );
}

function nameTrip(run: PlannedRun): Omit<SimulatedTrip, 'state' | 'isSilent' | 'calls' | 'vehicle'> {
  const { line, direction, headsign } = run.line.timetable;
  return {
    tripId: run.tripId,
    routeId: line.id,
    directionId: direction,
    startDate: run.date,
    startTime: run.startSeconds as ServiceTime,
    lineLabel: line.label,
    product: run.line.product,
    operatorName: run.line.operatorName,
    headsign,
    shortName: run.shortName,
  };
}

interface Changes {
  readonly isSkipped: (call: number) => boolean;
  readonly platformChanges: readonly PlatformChange[];
}

function tellCalls(run: PlannedRun, known: KnownTimes, { isSkipped, platformChanges }: Changes): SimulatedCall[] {
  const { dayStart, startSeconds, line } = run;
  return run.times.map(({ arrivalSeconds, departureSeconds }, i) => {
    const change = platformChanges.find(({ call }) => call === i)?.to ?? null;
    const scheduledPlatform = line.platforms[i]!;
    return {
      stop: line.stops[i]!,
      stopSequence: i + 1,
      scheduledArrival: (dayStart + startSeconds + arrivalSeconds) as Instant,
      scheduledDeparture: (dayStart + startSeconds + departureSeconds) as Instant,
      arrival: (dayStart + known.arrivals[i]!) as Instant,
      departure: (dayStart + known.departures[i]!) as Instant,
      isSkipped: isSkipped(i),
      scheduledPlatform,
      platform: change ? change.platformCode : scheduledPlatform,
      assignedStopId: change ? change.stopId : null,
    };
  });
}
