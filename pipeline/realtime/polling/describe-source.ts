import type { SourceId } from '../../model/ids.ts';
import type { RealtimeTally } from '../../model/realtime-tally.ts';
import type { Instant } from '../../model/service-time.ts';
import { nameCoverageCell } from '../../model/vehicle-demand.ts';
import type { RealtimeSourceState } from '../../snapshots/realtime-contract.ts';
import type { ProvidedArea } from '../../sources/define-source.ts';
import type { RealtimeSource, SourceFacts } from '../../sources/realtime-source.ts';
import type { SharingState } from '../sharing/sharing-state.ts';
import type { RealtimeState } from '../state/realtime-state.ts';
import { findPartArea } from './provides.ts';
import type { PolledAnswer, PolledSourceState } from './realtime-sink.ts';

/** Sums the tallies of several answers. */
export function sumTallies(tallies: readonly RealtimeTally[]): RealtimeTally {
  const sum = (read: (tally: RealtimeTally) => number) => tallies.reduce((total, tally) => total + read(tally), 0);
  return {
    matched: sumCounts(tallies.map(({ matched }) => matched)),
    unmatched: sumCounts(tallies.map(({ unmatched }) => unmatched)),
    vehiclesMatched: sum(({ vehiclesMatched }) => vehiclesMatched),
    vehiclesOnRouteOnly: sum(({ vehiclesOnRouteOnly }) => vehiclesOnRouteOnly),
    vehiclesUnmatched: sum(({ vehiclesUnmatched }) => vehiclesUnmatched),
    alerts: sum(({ alerts }) => alerts),
    records: sum(({ records }) => records),
    problems: sumCounts(tallies.map(({ problems }) => problems)),
  };
}

function sumCounts(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total = new Map<string, number>();
  for (const counts of all) {
    for (const [code, count] of Object.entries(counts)) total.set(code, (total.get(code) ?? 0) + count);
  }
  return Object.fromEntries(total);
}

/** Map cells in which each source has had vehicles: a cell without any at present may still be covered. */
export interface VehicleCells {
  note(answer: Pick<PolledAnswer, 'sourceId' | 'fetchedAt' | 'update'>): void;
  /** Names of the cells in which the source had a vehicle during the last day, sorted. */
  list(source: SourceId, now: Instant): string[];
}

/** A day, so that routes without night service stay covered. */
const REMEMBERED_SECONDS = 86_400;

export function openVehicleCells(): VehicleCells {
  const bySource = new Map<SourceId, Map<string, Instant>>();
  return {
    note({ sourceId, fetchedAt, update }) {
      if (update.vehicles.length === 0) return;
      const cells = bySource.get(sourceId) ?? new Map<string, Instant>();
      for (const { lat, lon } of update.vehicles) cells.set(nameCoverageCell(lat, lon), fetchedAt);
      bySource.set(sourceId, cells);
    },
    list(source, now) {
      const cells = bySource.get(source) ?? new Map<string, Instant>();
      for (const [cell, seenAt] of cells) if (now - seenAt > REMEMBERED_SECONDS) cells.delete(cell);
      return [...cells.keys()].sort();
    },
  };
}

/** A source whose answers are applied. */
export interface SinkSource {
  readonly id: SourceId;
  /** The configured timetable source; null where none is configured. */
  readonly timetable: SourceId | null;
  readonly facts: SourceFacts;
  readonly provides: readonly ProvidedArea[];
  readonly source: Pick<RealtimeSource, 'listRequests'>;
}

/** Facts about the answers of all sources. */
interface SourceNotes {
  /** Of the newest answer, by source and part. */
  readonly tallies: ReadonlyMap<SourceId, ReadonlyMap<string, RealtimeTally>>;
  /** Time of the last answer that may be shown as live, by source and part. */
  readonly successes: ReadonlyMap<string, Instant>;
  readonly cells: VehicleCells;
}

/** Key of what is stored by source and part of its requests. */
export function partKey(sourceId: SourceId, part: string): string {
  return `${sourceId} ${part}`;
}

/** The newest success of the requests of each area. */
function listSuccesses(
  { id, facts, source }: SinkSource,
  { successes }: SourceNotes,
  now: Instant,
): RealtimeSourceState['lastSuccessByArea'] {
  const newest = new Map<ProvidedArea, Instant | null>();
  for (const { part } of source.listRequests(now)) {
    const area = findPartArea(facts.kind, part);
    if (area === null) continue;
    const success = successes.get(partKey(id, part)) ?? null;
    const known = newest.get(area) ?? null;
    newest.set(area, success === null || (known !== null && known > success) ? known : success);
  }
  return Object.fromEntries([...newest].map(([area, success]) => [area, toText(success)]));
}

/** A request that is not for a single area serves all areas of its source. */
function listRequestedAreas(
  { facts, provides }: SinkSource,
  requestedParts: readonly string[],
): readonly ProvidedArea[] {
  const areas = new Set(requestedParts.map((part) => findPartArea(facts.kind, part)));
  return provides.filter((area) => areas.has(area) || areas.has(null));
}

function toText(instant: Instant | null | undefined): string | null {
  return typeof instant === 'number' ? new Date(instant * 1000).toISOString() : null;
}

/** State of a source as the snapshot publishes it. */
export function describeSource(
  sinkSource: SinkSource,
  states: readonly PolledSourceState[],
  notes: SourceNotes,
  counted: Pick<RealtimeState, 'countFalling'> & Partial<Pick<SharingState, 'countContradictions'>>,
  now: Instant,
): RealtimeSourceState {
  const { id, facts, provides } = sinkSource;
  const polled = states.find((one) => one.id === id);
  return {
    id,
    kind: facts.kind,
    archive: facts.archive,
    isStandby: polled?.isStandby ?? false,
    lastSuccessAt: toText(polled?.lastSuccessAt),
    lastSuccessByArea: listSuccesses(sinkSource, notes, now),
    lastAttemptAt: toText(polled?.lastAttemptAt),
    requestedAreas: listRequestedAreas(sinkSource, polled?.requestedParts ?? []),
    trouble: polled?.trouble ?? null,
    troubleSince: toText(polled?.troubleSince),
    isCircuitOpen: polled?.isCircuitOpen ?? false,
    ...(polled?.redirectedTo == null ? {} : { redirectedTo: polled.redirectedTo }),
    maxAgeSeconds: facts.maxAgeSeconds,
    provides,
    coverage: facts.coverage,
    isNationwide: facts.isNationwide,
    attribution: facts.attribution,
    licence: facts.licence,
    // Vehicles that are available only on demand cover no cell.
    vehicleCells: provides.includes('vehiclePositions') ? notes.cells.list(id, now) : [],
    onDemand: describeOnDemand(polled),
    tally: withProblems(sumTallies([...(notes.tallies.get(id)?.values() ?? [])]), {
      ...counted.countContradictions?.(id),
      falls_along_trip: counted.countFalling(id),
    }),
  };
}

/** @param found by code, when the snapshot was built: between reports, or along a trip whose times would fall */
function withProblems(tally: RealtimeTally, found: Readonly<Record<string, number>>): RealtimeTally {
  const problems = Object.fromEntries(Object.entries(found).filter(([, count]) => count > 0));
  return { ...tally, problems: { ...tally.problems, ...problems } };
}

function describeOnDemand(polled: PolledSourceState | undefined): RealtimeSourceState['onDemand'] {
  if (!polled?.onDemand) return null;
  const { isCapped, areas } = polled.onDemand;
  return { isCapped, areas: areas.map(({ box, requestedAt }) => ({ box, requestedAt: toText(requestedAt)! })) };
}
