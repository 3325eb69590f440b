import type { ComponentChildren } from 'preact';
import type { Line } from '../../../contract/v2-basics.ts';
import { boardTexts } from '../../texts/boards.ts';
import { type BoardFilter, listSelectable } from '../../view-model/board-rows.ts';
import { LineBadge } from '../line-badge/line-badge.tsx';
import { pageLanguage } from '../page/language.ts';
import type { QueryChanges } from '../page/use-query.ts';

interface BoardFiltersProps {
  readonly lines: readonly Line[];
  readonly places: readonly string[];
  readonly filter: BoardFilter;
  readonly onChange: (changes: QueryChanges) => void;
  /** Shown beside the directions. */
  readonly children: ComponentChildren;
}

/** Limits a board to a line, and to one of its directions. */
export function BoardFilters({ lines, places, filter, onChange, children }: BoardFiltersProps) {
  const { filter: texts, lines: linesLabel } = boardTexts[pageLanguage()];
  return (
    <div class="board-filters">
      <ul class="stop-lines" aria-label={linesLabel}>
        {lines.map((line) => {
          const isChosen = filter.line === line.label;
          const change = { line: isChosen ? null : line.label, direction: null };
          return (
            <li key={line.lineId ?? line.label}>
              <button type="button" aria-pressed={isChosen} onClick={() => onChange(change)}>
                <LineBadge line={line} />
              </button>
            </li>
          );
        })}
      </ul>
      <select
        aria-label={texts.direction}
        value={filter.place ?? ''}
        onChange={({ currentTarget }) => onChange({ direction: currentTarget.value || null })}
      >
        <option value="">{texts.all}</option>
        {listSelectable(places, filter.place).map((place) => (
          <option key={place} value={place}>
            {place}
          </option>
        ))}
      </select>
      {children}
    </div>
  );
}
