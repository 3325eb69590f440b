import { useState } from 'preact/hooks';
import { boardTexts } from '../../texts/boards.ts';
import type { BoardState } from '../../view-model/board-state.ts';
import { readFavourites, toggleFavourite } from '../favourites/favourites.ts';
import type { StoredStop } from '../favourites/stored-stops.ts';
import { pageLanguage } from '../page/language.ts';
import type { QueryChanges } from '../page/use-query.ts';

interface BoardToolsProps {
  readonly stop: StoredStop;
  readonly state: BoardState;
  readonly onChange: (changes: QueryChanges) => void;
}

/** Marks the stop, groups the board, and leads to its full-screen view. */
export function BoardTools({ stop, state: { isGrouped, filter }, onChange }: BoardToolsProps) {
  const { tools } = boardTexts[pageLanguage()];
  const [favourites, setFavourites] = useState(readFavourites);
  const isMarked = favourites.some(({ id }) => id === stop.id);
  const limits = Object.entries({ line: filter.line, direction: filter.place }).filter(([, value]) => value !== null);
  const query = new URLSearchParams(limits as [string, string][]).toString();
  return (
    <div class="board-tools">
      <button
        type="button"
        aria-pressed={isGrouped}
        onClick={() => onChange({ group: isGrouped ? null : 'direction' })}
      >
        {tools.group}
      </button>
      <button
        type="button"
        aria-pressed={isMarked}
        aria-label={tools.favourite}
        title={tools.favourite}
        onClick={() => setFavourites(toggleFavourite(stop))}
      >
        <span aria-hidden="true">{isMarked ? '★' : '☆'}</span>
      </button>
      <a class="button" href={`/stops/${encodeURIComponent(stop.id)}/wall${query && `?${query}`}`} title={tools.wall}>
        <svg class="tool-icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
          <path d="M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5" />
        </svg>
        <span class="visually-hidden">{tools.wall}</span>
      </a>
    </div>
  );
}
