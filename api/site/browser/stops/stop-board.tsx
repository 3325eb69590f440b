import { useEffect, useRef, useState } from 'preact/hooks';
import type { ArrivalBoard, Board, StopInfo } from '../../../contract/v2-board.ts';
import { boardTexts } from '../../texts/boards.ts';
import { Freshness } from '../live/freshness.tsx';
import { usePolled } from '../live/use-polled.ts';
import { Notices } from '../notices/notices.tsx';
import { pageLanguage } from '../page/language.ts';
import { Skeleton } from '../page/skeleton.tsx';
import { useQuery } from '../page/use-query.ts';
import { toTimestamp } from '../times/local-time.ts';
import { BoardControls } from './board-controls.tsx';
import { BoardFilters } from './board-filters.tsx';
import { BoardList } from './board-list.tsx';
import { type BoardRow, filterRows, listAnnouncedRows, listPlaces, listRows } from './board-rows.ts';

/** The service rounds the instant of a board to this interval. */
const POLL_SECONDS = 15;
const INFO_POLL_SECONDS = 3600;
const FIRST_ROWS = 30;
const MAX_ROWS = 200;
const AHEAD_MINUTES = 720;

/** A board with live updates. Its state is in the query: `show`, `time`, `rows`, `line`, `direction`. */
export function StopBoard({ id }: { readonly id: string }) {
  const texts = boardTexts[pageLanguage()];
  const [query, changeQuery] = useQuery();
  const isArrivals = query.get('show') === 'arrivals';
  const filter = { line: query.get('line'), place: query.get('direction') };
  const isFiltered = filter.line !== null || filter.place !== null;
  // Rare lines are further down, so a filter applies to as many rows as there are.
  const rowCount = isFiltered ? MAX_ROWS : readRowCount(query.get('rows'));
  const base = `/site/data/stops/${encodeURIComponent(id)}`;
  const polled = usePolled<Board | ArrivalBoard>(
    base + boardPath(isArrivals, query.get('time'), rowCount),
    POLL_SECONDS,
  );
  const info = usePolled<StopInfo>(`${base}/info`, INFO_POLL_SECONDS);
  // Rendered together, since the later one would otherwise push the first down.
  const all = polled.answer && (info.answer || info.error) ? listRows(polled.answer) : null;
  const rows = all && filterRows(all, filter);
  return (
    <>
      <BoardControls isArrivals={isArrivals} time={query.get('time')} onChange={changeQuery} />
      <Freshness polled={polled} seconds={POLL_SECONDS} />
      {!rows && !polled.error && <Skeleton rows={6} height="row" />}
      <LiveRegion rows={rows ?? []} />
      {all && info.answer && (
        <BoardFilters
          lines={info.answer.lines}
          places={listPlaces(all, filter.line)}
          filter={filter}
          onChange={changeQuery}
        />
      )}
      <Notices notices={(rows ?? []).flatMap(({ notices }) => notices)} />
      {rows && rows.length > 0 && <BoardList rows={rows} stopId={id} />}
      {rows?.length === 0 && (
        <div class="card empty">
          <p>{isFiltered ? texts.emptyFilter : isArrivals ? texts.emptyArrivals : texts.empty}</p>
          {isFiltered && (
            <button type="button" onClick={() => changeQuery({ line: null, direction: null })}>
              {texts.filter.clear}
            </button>
          )}
        </div>
      )}
      {all && all.length >= rowCount && rowCount < MAX_ROWS && (
        <button type="button" onClick={() => changeQuery({ rows: String(Math.min(MAX_ROWS, rowCount + FIRST_ROWS)) })}>
          {texts.more}
        </button>
      )}
    </>
  );
}

function boardPath(isArrivals: boolean, time: string | null, limit: number): string {
  const query = new URLSearchParams({ limit: String(limit), durationMinutes: String(AHEAD_MINUTES) });
  const timestamp = time === null ? null : toTimestamp(time);
  if (timestamp !== null) query.set('time', timestamp);
  return `/${isArrivals ? 'arrivals' : 'departures'}?${query}`;
}

function readRowCount(text: string | null): number {
  const count = Number(text);
  return Number.isInteger(count) && count > 0 ? Math.min(count, MAX_ROWS) : FIRST_ROWS;
}

/** Announces changes of existing rows to screen readers, except small changes of delay. */
function LiveRegion({ rows }: { readonly rows: readonly BoardRow[] }) {
  const before = useRef<readonly BoardRow[]>([]);
  const [changes, setChanges] = useState<readonly BoardRow[]>([]);
  useEffect(() => {
    const found = listAnnouncedRows(before.current, rows);
    if (found.length > 0) setChanges(found);
    before.current = rows;
  }, [rows]);
  return (
    <p class="visually-hidden" role="status">
      {changes.map(describeChange).join(' ')}
    </p>
  );
}

function describeChange({ line, place, cancelled, platform }: BoardRow): string {
  const texts = boardTexts[pageLanguage()];
  const change = cancelled ? texts.cancelled : texts.platformInstead(platform.text ?? '', platform.scheduledText ?? '');
  return `${line.label} ${place}: ${change}.`;
}
