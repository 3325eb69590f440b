import type { VehicleReport } from '../model/realtime.ts';
import type { Instant } from '../model/service-time.ts';
import { callFlags } from '../snapshots/realtime-contract.ts';
import { getCall, setSaid } from './apply-trip.ts';
import { type CallMemory, createTripMemory, nameDated, OBSERVED, type SourceMemory } from './memory.ts';
import { toSighting } from './sightings.ts';
import { matchContext, type UpdateRun } from './update-run.ts';

/** Keeps a vehicle's newest position; one that stands at a stop has arrived there, one that has moved on has left. */
export function applyVehicle(run: UpdateRun, report: VehicleReport): void {
  const { source, facts, context } = run;
  const match = context.matcher.matchVehicle(report, matchContext(run));
  const addedTrip = match.kind === 'dated' ? null : findAddedOf(source, report);
  if (match.kind === 'unmatched' && addedTrip === null) run.tally.vehiclesUnmatched += 1;
  else run.tally.vehiclesMatched += 1;
  const observedAt = Math.min(report.recordedAt ?? facts.knownAt, run.answer.fetchedAt) as Instant;
  const before = source.vehicles.get(report.id);
  if (before && before.observedAt > observedAt) return;
  const dated = match.kind === 'dated' ? match : null;
  const vehicle = {
    id: report.id,
    lat: report.lat,
    lon: report.lon,
    headingDeg: report.headingDeg,
    observedAt,
    trip: dated?.trip ?? -1,
    day: dated?.day ?? 0,
    addedTrip,
    route: match.kind === 'unmatched' ? -1 : match.route,
    label: report.trip?.lineLabel ?? null,
    direction: report.trip?.headsign ?? null,
    position: dated?.position ?? -1,
    isStopped: report.stopStatus === 'stoppedAt',
  };
  source.vehicles.set(report.id, vehicle);
  if (!dated || dated.position < 0) return;
  const was = before?.trip === dated.trip && before.day === dated.day ? before : null;
  // Seen at an earlier call it has not left; one of the two positions is a slip.
  if (was?.isStopped && was.position >= 0 && was.position < dated.position) {
    tellSeen(run, dated, was.position, 'departure', was.observedAt);
  }
  const isNewPlace = !was?.isStopped || was.position !== dated.position;
  if (vehicle.isStopped && isNewPlace) tellSeen(run, dated, dated.position, 'arrival', observedAt);
}

function findAddedOf(source: SourceMemory, { trip }: VehicleReport): string | null {
  if (!trip?.tripId) return null;
  for (const [name, added] of source.added) if (added.tripId === trip.tripId) return name;
  return null;
}

/**
 * A vehicle stood at the stop: an observation, unless the publisher has told what happened, or that nothing does.
 * @see decisions, section 5: `STOPPED_AT`
 */
function tellSeen(
  run: UpdateRun,
  { trip, day }: { trip: number; day: number },
  position: number,
  event: 'arrival' | 'departure',
  time: Instant,
): void {
  const { planned } = run.context;
  const isNoEvent = event === 'arrival' ? position === 0 : position === planned.callCount(trip) - 1;
  if (isNoEvent) return;
  const name = nameDated(trip, day);
  const memory = run.source.trips.get(name) ?? createTripMemory(trip, day);
  run.source.trips.set(name, memory);
  memory.seenAt = Math.max(memory.seenAt, run.facts.knownAt);
  const call = getCall(memory, position, run.facts.part);
  if (call[`${event}Evidence`] === OBSERVED || (call.flags & callFlags.cancelled) !== 0) return;
  call.seenAt = run.facts.knownAt;
  const tell = (_position: number, _event: 'arrival' | 'departure', seen: CallMemory) =>
    run.sightings.push(toSighting(run.context.planned, memory, position, event, seen, 'positions'));
  setSaid({ answer: { ...run.facts, knownAt: time }, tell }, position, call, event, time, true, false);
  call.flags |= callFlags.fromPosition;
}
