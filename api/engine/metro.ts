import { isAhead } from '../../pipeline/model/clock-tolerance.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { findText, type Realtime } from './read/realtime.ts';

interface MetroDeparture {
  readonly line: string;
  readonly towards: string;
  readonly plannedAt: Instant;
  readonly realAt: Instant | null;
}

interface MetroBoard {
  /** The upstream's data are frozen, or its last answer is too old: no departures are shown. */
  readonly isStale: boolean;
  readonly departures: readonly MetroDeparture[];
}

/** The monitor of a metro station as its publisher shows it, without past departures; ordered by time. */
export function getMetroBoard(realtime: Realtime | null, diva: number, instant: Instant): MetroBoard {
  const stale = { isStale: true, departures: [] };
  if (!realtime) return stale;
  const { stationBoards, stationDepartures } = realtime.tables;
  const row = stationBoards.station.indexOf(diva);
  if (row < 0 || stationBoards.isFrozen[row] === 1) return stale;
  const maxAgeSeconds = realtime.manifest.sources[stationBoards.source[row]!]?.maxAgeSeconds ?? 0;
  const fetchedAt = stationBoards.fetchedAt[row]!;
  if (instant - fetchedAt > maxAgeSeconds || isAhead(fetchedAt, instant)) return stale;
  const first = stationBoards.firstDeparture[row]!;
  const departures = Array.from({ length: stationBoards.departureCount[row]! }, (_, i): MetroDeparture => {
    const real = stationDepartures.realAt[first + i]!;
    return {
      line: findText(realtime, stationDepartures.line[first + i]!) ?? '',
      towards: findText(realtime, stationDepartures.towards[first + i]!) ?? '',
      plannedAt: stationDepartures.plannedAt[first + i]! as Instant,
      realAt: real === 0 ? null : (real as Instant),
    };
  });
  const timeOf = ({ plannedAt, realAt }: MetroDeparture) => realAt ?? plannedAt;
  return {
    isStale: false,
    departures: departures.filter((one) => timeOf(one) >= instant).sort((a, b) => timeOf(a) - timeOf(b)),
  };
}
