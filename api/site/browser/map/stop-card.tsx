import type { Board } from '../../../contract/v2-board.ts';
import { boardTexts } from '../../texts/boards.ts';
import { describeFailure } from '../../texts/failures.ts';
import { mapPageTexts } from '../../texts/map.ts';
import { type BoardRow, listRows } from '../../view-model/board-rows.ts';
import { boardPath, readBoardState } from '../../view-model/board-state.ts';
import { showBoardTime } from '../../view-model/shown-time.ts';
import { emptyState, tripsAddress } from '../../view-model/trips-state.ts';
import { LineBadge } from '../line-badge/line-badge.tsx';
import { usePolled } from '../live/use-polled.ts';
import { pageLanguage } from '../page/language.ts';
import { CallTime } from '../times/call-time.tsx';
import { CardHead } from './card-head.tsx';

const POLL_SECONDS = 15;
const MAX_ROWS = 5;

interface ChosenStop {
  readonly id: string;
  readonly name: string;
}

interface StopCardProps {
  readonly stop: ChosenStop;
  readonly onClose: () => void;
}

/** The stop that was chosen on the map, with its next departures. */
export function StopCard({ stop: { id, name }, onClose }: StopCardProps) {
  const language = pageLanguage();
  const texts = mapPageTexts[language];
  const path = boardPath(id, readBoardState(new URLSearchParams()));
  const { answer, error } = usePolled<Board>(path, POLL_SECONDS);
  const rows = answer ? listRows(answer).slice(0, MAX_ROWS) : [];
  const trip = tripsAddress({ ...emptyState, from: { place: id, name } }, new URLSearchParams());
  return (
    <section class="map-card card" aria-label={name}>
      <CardHead name={name} onClose={onClose} />
      <p class="note" role="status">
        {answer === null && (error ? describeFailure(error.code, language) : texts.loadingDepartures)}
        {answer && rows.length === 0 && boardTexts[language].emptyWall}
      </p>
      <ol class="map-departures">
        {rows.map((row) => (
          <DepartureRow key={row.id} row={row} />
        ))}
      </ol>
      <p class="actions">
        <a href={`/stops/${encodeURIComponent(id)}`}>{texts.allDepartures}</a> <a href={trip}>{texts.tripFrom}</a>
      </p>
    </section>
  );
}

function DepartureRow({ row: { line, place, time, cancelled } }: { readonly row: BoardRow }) {
  const shown = showBoardTime(time, line.product);
  return (
    <li>
      <LineBadge line={line} />
      <bdi>{place}</bdi>
      {shown && <CallTime time={shown} isCancelled={cancelled} />}
    </li>
  );
}
