import type { SourceId } from '../model/ids.ts';
import type { Instant } from '../model/service-time.ts';
import { nameCoverageCell } from '../model/vehicle-demand.ts';
import type { PolledAnswer } from './realtime-sink.ts';

/** Where on the map each source has vehicles: a section without any at the moment may be covered all the same. */
export interface VehicleCells {
  note(answer: Pick<PolledAnswer, 'sourceId' | 'fetchedAt' | 'update'>): void;
  /** Names of the cells in which the source had a vehicle during the last day, in the order of their names. */
  list(source: SourceId, now: Instant): string[];
}

/** A line that rests at night is still covered. */
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
