import type { StationBoard } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type { MonitorLine } from './monitor-line.ts';

/**
 * What the underground shows at each of the stations, soonest first. Trams and buses in front of a station are no part
 * of it. A line that stands still is left out; where all of them do, the board is frozen and empty.
 */
export function buildStationBoards(
  lines: readonly MonitorLine[],
  stations: readonly number[],
  publishedAt: Instant | null,
  isOfAnotherTime: boolean,
): StationBoard[] {
  return stations.map((station) => {
    const metroLines = lines
      .filter(({ stop }) => Number(stop.diva) === station)
      .map((line) => ({ ...line, departures: line.departures.filter(({ product }) => product === 'subway') }))
      .filter(({ departures }) => departures.length > 0);
    const liveLines = metroLines.filter(({ isFrozen }) => !isFrozen);
    return {
      station: String(station),
      publishedAt,
      isFrozen: isOfAnotherTime || (metroLines.length > 0 && liveLines.length === 0),
      departures: liveLines.flatMap(({ departures }) => departures.map(toBoardRow)).sort(compareRows),
    };
  });
}

type BoardRow = StationBoard['departures'][number];

function toBoardRow({ line, towards, plannedAt, realAt }: MonitorLine['departures'][number]): BoardRow {
  return { line, towards: towards ?? '', plannedAt, realAt };
}

function compareRows(a: BoardRow, b: BoardRow): number {
  const seconds = (a.realAt ?? a.plannedAt) - (b.realAt ?? b.plannedAt);
  if (seconds !== 0) return seconds;
  return compareTexts(a.line, b.line) || compareTexts(a.towards, b.towards) || a.plannedAt - b.plannedAt;
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
