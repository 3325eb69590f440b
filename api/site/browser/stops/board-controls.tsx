import { boardTexts } from '../../texts/boards.ts';
import { toLocalTime } from '../../view-model/local-time.ts';
import { nowMilliseconds } from '../live/server-clock.ts';
import { pageLanguage } from '../page/language.ts';
import type { QueryChanges } from '../page/use-query.ts';

interface BoardControlsProps {
  readonly isArrivals: boolean;
  /** Local time from which the board starts; null: now. */
  readonly time: string | null;
  readonly onChange: (changes: QueryChanges) => void;
}

/** Selects departures or arrivals, and the time from which they are shown. */
export function BoardControls({ isArrivals, time, onChange }: BoardControlsProps) {
  const texts = boardTexts[pageLanguage()];
  return (
    <div class="board-controls">
      <div class="choices">
        <button
          type="button"
          aria-pressed={!isArrivals}
          onClick={() => onChange({ show: null, rows: null, direction: null })}
        >
          {texts.departures}
        </button>
        <button
          type="button"
          aria-pressed={isArrivals}
          onClick={() => onChange({ show: 'arrivals', rows: null, direction: null })}
        >
          {texts.arrivals}
        </button>
      </div>
      <div class="board-time">
        <label>
          <span>{texts.from}</span>
          <input
            type="datetime-local"
            value={time ?? toLocalTime(nowMilliseconds())}
            onChange={({ currentTarget }) => onChange({ time: currentTarget.value || null, rows: null })}
          />
        </label>
        <button type="button" disabled={time === null} onClick={() => onChange({ time: null, rows: null })}>
          {texts.now}
        </button>
      </div>
    </div>
  );
}
