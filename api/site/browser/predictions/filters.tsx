import { useId } from 'preact/hooks';
import type { PredictionData } from '../../../contract/site-charts.ts';
import type { QueryChanges } from '../page/use-query.ts';
import { texts } from './page-texts.ts';

const t = texts.filters;

interface FiltersProps {
  readonly data: PredictionData;
  readonly change: (changes: QueryChanges) => void;
}

/** Selects the source, the day and the predictions to show. */
export function Filters({ data: { sources, question }, change }: FiltersProps) {
  const id = useId();
  if (question === null) return null;
  const known = sources.find(({ source }) => source === question.source);
  return (
    <form class="filters card" aria-label={t.label} onSubmit={(event) => event.preventDefault()}>
      <div class="fields">
        <div class="field">
          <label for={`${id}-source`}>{t.source}</label>
          <select
            id={`${id}-source`}
            value={question.source}
            onChange={({ currentTarget }) => change({ source: currentTarget.value, day: null, example: null })}
          >
            {sources.map(({ source }) => (
              <option key={source} value={source}>
                {source}
              </option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for={`${id}-day`}>{t.day}</label>
          <input
            id={`${id}-day`}
            type="date"
            min={known?.firstDate}
            max={known?.lastDate}
            value={question.day}
            onChange={({ currentTarget }) => currentTarget.value && change({ day: currentTarget.value, example: null })}
          />
        </div>
        <fieldset class="choices" aria-label={t.pairs}>
          {(['all', 'toldBySource'] as const).map((pairs) => (
            <button
              key={pairs}
              type="button"
              aria-pressed={question.pairs === pairs}
              onClick={() => change({ pairs: pairs === 'all' ? null : pairs })}
            >
              {t[pairs]}
            </button>
          ))}
        </fieldset>
      </div>
    </form>
  );
}
