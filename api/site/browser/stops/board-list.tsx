import { boardTexts } from '../../texts/boards.ts';
import type { BoardRow } from '../../view-model/board-rows.ts';
import { describeCountdown } from '../../view-model/board-words.ts';
import { showBoardTime } from '../../view-model/shown-time.ts';
import { chooseBadge, findTripNumber } from '../../view-model/trip-number.ts';
import { LineBadge } from '../line-badge/line-badge.tsx';
import { ProductIcon } from '../line-badge/product-icon.tsx';
import { useNow } from '../live/use-now.ts';
import { pageLanguage } from '../page/language.ts';
import { CallTime, Delay } from '../times/call-time.tsx';
import { Platform } from '../times/platform.tsx';

/** The rows of a board, with links to their journeys. @param stopId stop to mark in a journey */
export function BoardList({ rows, stopId }: { readonly rows: readonly BoardRow[]; readonly stopId: string }) {
  const now = useNow(5);
  return (
    <ol class="board">
      {rows.map((row) => (
        <li key={row.id} data-cancelled={row.cancelled}>
          {row.journeyRef === undefined ? (
            <div class="row">
              <Row row={row} now={now} />
            </div>
          ) : (
            <a class="row" href={`/journeys/${encodeURIComponent(row.journeyRef)}?stop=${encodeURIComponent(stopId)}`}>
              <Row row={row} now={now} />
            </a>
          )}
        </li>
      ))}
    </ol>
  );
}

function Row({ row, now }: { readonly row: BoardRow; readonly now: number }) {
  const texts = boardTexts[pageLanguage()];
  const { line, place, platform, cancelled, notices, serviceKind } = row;
  const time = showBoardTime(row.time, line.product);
  const { badge, rest } = chooseBadge(line.label, findTripNumber(row.attributes));
  return (
    <>
      <span class="what">
        <ProductIcon product={line.product} />
        <LineBadge line={line} text={badge} />
      </span>
      <span class="place">
        <bdi>{place}</bdi>
        {notices.map(({ id, title }) => (
          <span class="row-notice" key={id} title={title}>
            <span class="visually-hidden">{title}</span>
          </span>
        ))}
      </span>
      <span class="where">
        {rest && <bdi>{texts.tripNumber(rest)}</bdi>}
        {serviceKind && <span class="state">{texts[serviceKind]}</span>}
        {cancelled ? (
          <span class="state" data-state="bad">
            {texts.cancelled}
          </span>
        ) : (
          <Platform platform={platform} />
        )}
      </span>
      <span class="when">
        {time && <CallTime time={time} isCancelled={cancelled} />}
        {time && !cancelled && (
          <span class="countdown">
            <Delay minutes={time.delayMinutes} /> {describeCountdown(time.at, now, pageLanguage())}
          </span>
        )}
      </span>
    </>
  );
}
