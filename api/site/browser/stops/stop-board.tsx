import { useEffect, useRef, useState } from 'preact/hooks';
import type { ArrivalBoard, Board, StopInfo } from '../../../contract/v2-board.ts';
import { boardTexts } from '../../texts/boards.ts';
import {
  type BoardRow,
  filterRows,
  groupRows,
  listAnnouncedRows,
  listPlaces,
  listRows,
} from '../../view-model/board-rows.ts';
import {
  boardPath,
  countMoreRows,
  isFiltered,
  MAX_BOARD_ROWS,
  readBoardState,
  stopInfoPath,
} from '../../view-model/board-state.ts';
import { describeEmptyBoard } from '../../view-model/board-words.ts';
import { rememberStop } from '../favourites/recent-stops.ts';
import { Freshness } from '../live/freshness.tsx';
import { usePolled } from '../live/use-polled.ts';
import { Notices } from '../notices/notices.tsx';
import { pageLanguage } from '../page/language.ts';
import { Skeleton } from '../page/skeleton.tsx';
import { useQuery } from '../page/use-query.ts';
import { BoardControls } from './board-controls.tsx';
import { BoardFilters } from './board-filters.tsx';
import { BoardList } from './board-list.tsx';
import { BoardTools } from './board-tools.tsx';

/** The service rounds the instant of a board to this interval. */
const POLL_SECONDS = 15;
const INFO_POLL_SECONDS = 3600;

/** A board with live updates. Its state is in the query: `show`, `time`, `rows`, `line`, `direction`, `group`. */
export function StopBoard({ id }: { readonly id: string }) {
  const texts = boardTexts[pageLanguage()];
  const [query, changeQuery] = useQuery();
  const state = readBoardState(query);
  const { filter, rowCount } = state;
  const polled = usePolled<Board | ArrivalBoard>(boardPath(id, state), POLL_SECONDS);
  const info = usePolled<StopInfo>(stopInfoPath(id), INFO_POLL_SECONDS);
  const stop = info.answer?.stop;
  useEffect(() => stop && rememberStop(stop), [stop?.id]);
  // Rendered together, since the later one would otherwise push the first down.
  const all = polled.answer && (info.answer || info.error) ? listRows(polled.answer) : null;
  const rows = all && filterRows(all, filter);
  return (
    <>
      <BoardControls isArrivals={state.isArrivals} time={state.time} onChange={changeQuery} />
      <Freshness polled={polled} seconds={POLL_SECONDS} />
      {!rows && !polled.error && <Skeleton rows={6} height="row" />}
      <LiveRegion rows={rows ?? []} />
      {all && info.answer && (
        <BoardFilters
          lines={info.answer.lines}
          places={listPlaces(all, filter.line)}
          filter={filter}
          onChange={changeQuery}
        >
          <BoardTools stop={info.answer.stop} state={state} onChange={changeQuery} />
        </BoardFilters>
      )}
      <Notices notices={(rows ?? []).flatMap(({ notices }) => notices)} />
      {rows &&
        rows.length > 0 &&
        (state.isGrouped ? <Groups rows={rows} stopId={id} /> : <BoardList rows={rows} stopId={id} />)}
      {rows?.length === 0 && (
        <div class="card empty">
          <p>{describeEmptyBoard(state, pageLanguage())}</p>
          {isFiltered(filter) && (
            <button type="button" onClick={() => changeQuery({ line: null, direction: null })}>
              {texts.filter.clear}
            </button>
          )}
        </div>
      )}
      {all && all.length >= rowCount && rowCount < MAX_BOARD_ROWS && (
        <button type="button" onClick={() => changeQuery({ rows: String(countMoreRows(rowCount)) })}>
          {texts.more}
        </button>
      )}
    </>
  );
}

/** Departures listed per direction; more would push the other directions off the screen. */
const ROWS_OF_GROUP = 4;

function Groups({ rows, stopId }: { readonly rows: readonly BoardRow[]; readonly stopId: string }) {
  return (
    <>
      {[...groupRows(rows)].map(([place, own]) => (
        <section key={place} class="board-group">
          <h2>
            <bdi>{place}</bdi>
          </h2>
          <BoardList rows={own.slice(0, ROWS_OF_GROUP)} stopId={stopId} />
        </section>
      ))}
    </>
  );
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
