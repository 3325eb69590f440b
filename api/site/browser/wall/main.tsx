import type { Board } from '../../../contract/v2-board.ts';
import { boardTexts } from '../../texts/boards.ts';
import { describeFailure } from '../../texts/failures.ts';
import { filterRows, listRows } from '../../view-model/board-rows.ts';
import { boardPath, readBoardState } from '../../view-model/board-state.ts';
import { useNow } from '../live/use-now.ts';
import { usePolled } from '../live/use-polled.ts';
import { pageLanguage } from '../page/language.ts';
import { findPlace, mount } from '../page/mount.ts';
import { BoardList } from '../stops/board-list.tsx';
import '../stops/stops.css';
import './wall.css';

const POLL_SECONDS = 15;
/** About as many rows as fit on a screen. */
const MAX_ROWS = 14;
/** Older data is marked, as nobody reloads a screen on a wall. */
const STALE_SECONDS = 120;

const language = pageLanguage();
const clock = new Intl.DateTimeFormat('de', { hour: '2-digit', minute: '2-digit', timeZone: 'Europe/Vienna' });

/** The departures of a stop for a screen that nobody operates. */
function Wall({ stopId }: { readonly stopId: string }) {
  const state = readBoardState(new URLSearchParams(location.search));
  const { answer, answeredAt, error } = usePolled<Board>(boardPath(stopId, state), POLL_SECONDS);
  const now = useNow(1);
  const texts = boardTexts[language];
  const rows = answer ? filterRows(listRows(answer), state.filter).slice(0, MAX_ROWS) : [];
  const isStale = answeredAt !== null && now - answeredAt > STALE_SECONDS * 1000;
  return (
    <>
      <time class="wall-clock">{clock.format(now)}</time>
      <BoardList rows={rows} stopId={stopId} />
      <p class="wall-note" role="status">
        {answer === null && error && describeFailure(error.code, language)}
        {isStale && texts.staleSince(clock.format(answeredAt))}
        {answer && rows.length === 0 && texts.emptyWall}
      </p>
    </>
  );
}

mount('wall', <Wall stopId={findPlace('wall').dataset.stop ?? ''} />);
