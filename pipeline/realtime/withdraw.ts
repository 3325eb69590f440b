import { tripFlags } from '../snapshots/realtime-contract.ts';
import { endOfAdded } from './added-calls.ts';
import { tellTrip } from './apply-trip.ts';
import { withdrawCall, withdrawTimes } from './lay-report.ts';
import { getPart, type Mention, type SourceMemory, type TripMemory } from './memory.ts';
import { endOfPlan } from './planned-calls.ts';
import type { UpdateRun } from './update-run.ts';

/**
 * Takes back what the part said before and says no more: all that a complete answer does not name, of a differential
 * one what it deletes. What lies ahead is withdrawn, cancellations too; what is over stays as it was last known.
 */
export function withdrawUnmentioned(run: UpdateRun): void {
  const { source, update, facts, mentioned } = run;
  const part = getPart(source, facts.part);
  const before = part.mentioned;
  if (update.scope === 'all') {
    part.mentioned = mentioned;
    for (const [name, mention] of before) {
      if (!mentioned.has(name)) withdrawTrip(run, name, mention);
      else if (!facts.isPropagating) withdrawUnsaidCalls(run, name);
    }
    return;
  }
  for (const [name, mention] of mentioned) before.set(name, mention);
  const gone = new Set(update.deletedIds.map(placeOfEntity));
  if (gone.size === 0) return;
  for (const [name, mention] of before) {
    if (!gone.has(mention.place) || mentioned.has(name)) continue;
    before.delete(name);
    withdrawTrip(run, name, mention);
  }
  for (const [id, vehicle] of source.vehicles) {
    if (vehicle.part === facts.part && gone.has(vehicle.report.place)) source.vehicles.delete(id);
  }
}

/** As grammars name the place of a report, see `TripReport.place`. */
export function placeOfEntity(id: string): string {
  return `entity ${id}`;
}

/**
 * Nothing is left of it ahead. Where another part of the source stands by it, the times of this part alone are taken
 * back: that the trip runs after all, the other one would have to say.
 */
function withdrawTrip(run: UpdateRun, name: string, mention: Mention): void {
  const { source, facts, sightings } = run;
  const isGone = !isMentioned(source, name);
  const memory = source.trips.get(name);
  const told = sightings.length;
  if (memory) {
    if (isGone) forgetAhead(run, memory);
    else for (const call of memory.calls) if (call?.part === facts.part) withdrawTimes(call, facts);
    tellTrip(run, memory, () => false);
  }
  if (!isGone) return;
  const added = source.added.get(name);
  if (added && endOfAdded(added.calls) > facts.knownAt) source.added.delete(name);
  // What is taken back is told by this answer, so the trip ends with the next one.
  if (sightings.length > told) getPart(source, facts.part).mentioned.set(name, mention);
  else endTrip(run, name, mention);
}

function endTrip({ source, ended }: UpdateRun, name: string, { key, day }: Mention): void {
  ended.push({ key, day });
  source.told.delete(name);
}

function isMentioned({ parts }: SourceMemory, name: string): boolean {
  for (const { mentioned } of parts.values()) if (mentioned.has(name)) return true;
  return false;
}

/** That it was cancelled or replaced stays known when it is over. */
function forgetAhead({ context, facts }: UpdateRun, memory: TripMemory): void {
  const plan = context.planned.plan(memory.trip, memory.day);
  if (endOfPlan(plan) > facts.knownAt) memory.flags &= tripFlags.special;
  memory.calls.forEach((call, position) => {
    if (call) withdrawCall(call, plan.at(position, 'departure'), facts);
  });
}

/** Where each call speaks for itself, one that the part told of before and leaves out now is taken back by itself. */
function withdrawUnsaidCalls(run: UpdateRun, name: string): void {
  const memory = run.source.trips.get(name);
  if (!memory) return;
  const { facts, context } = run;
  const plan = context.planned.plan(memory.trip, memory.day);
  memory.calls.forEach((call, position) => {
    const isUnsaid = call?.part === facts.part && !run.touched.has(call);
    if (isUnsaid) withdrawCall(call, plan.at(position, 'departure'), facts);
  });
  tellTrip(run, memory, () => false);
}
