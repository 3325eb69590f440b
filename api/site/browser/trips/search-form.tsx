import { useEffect, useState } from 'preact/hooks';
import type { Stop } from '../../../contract/v2-basics.ts';
import { nowMilliseconds } from '../live/server-clock.ts';
import { StopSearch } from '../stop-search/stop-search.tsx';
import { toLocalTime } from '../times/local-time.ts';
import { emptyState, type TripEnd, type TripsState, type When } from './page-state.ts';
import { texts } from './page-texts.ts';

interface SearchFormProps {
  readonly state: TripsState;
  readonly onSearch: (state: TripsState) => void;
}

/** The search form; submitting it, or swapping the ends, updates the page. */
export function SearchForm({ state, onSearch }: SearchFormProps) {
  const [query, setQuery] = useState(state);
  const [typed, setTyped] = useState({ from: '', to: '' });
  const [isMissing, setMissing] = useState(false);
  const { from, to, when, wheelchair } = query;
  const key = JSON.stringify([state.from, state.to, state.when, state.wheelchair]);
  useEffect(() => setQuery(state), [key]);

  const search = (next: TripsState) => {
    setMissing(next.from === null || next.to === null);
    if (next.from && next.to) onSearch({ ...emptyState, ...next, pageToken: null, chosen: [] });
  };
  const swap = () => {
    const swapped = { ...query, from: to, to: from };
    setQuery(swapped);
    setTyped({ from: typed.to, to: typed.from });
    if (from && to) search(swapped);
  };
  /** An edited text does not identify a stop until one is picked. */
  const endOf = (end: 'from' | 'to') => ({
    label: texts.form[end],
    value: query[end]?.name ?? typed[end],
    onPick: (stop: Stop) => setQuery((before) => ({ ...before, [end]: toEnd(stop) })),
    onType: (text: string) => {
      setTyped((before) => ({ ...before, [end]: text }));
      setQuery((before) => ({ ...before, [end]: null }));
    },
  });
  return (
    <form
      class="trip-search"
      aria-label={texts.form.label}
      onSubmit={(event) => {
        event.preventDefault();
        search(query);
      }}
    >
      <div class="ends">
        <StopSearch {...endOf('from')} />
        <button class="swap" type="button" aria-label={texts.form.swap} title={texts.form.swap} onClick={swap}>
          <span aria-hidden="true">⇅</span>
        </button>
        <StopSearch {...endOf('to')} />
      </div>
      <div class="wishes">
        <WhenFields when={when} onChange={(next) => setQuery({ ...query, when: next })} />
        <label class="check">
          <input
            type="checkbox"
            checked={wheelchair}
            onChange={({ currentTarget }) => setQuery({ ...query, wheelchair: currentTarget.checked })}
          />
          {texts.form.wheelchair}
        </label>
        <button class="primary" type="submit">
          {texts.form.submit}
        </button>
      </div>
      <p class="missing" role="alert">
        {isMissing && (from === null || to === null) ? texts.form.missing : ''}
      </p>
    </form>
  );
}

function toEnd({ id, name }: Stop): TripEnd {
  return { place: id, name };
}

const kinds = ['now', 'departure', 'arrival'] as const;

function WhenFields({ when, onChange }: { readonly when: When; readonly onChange: (when: When) => void }) {
  const choose = (kind: When['kind']): When =>
    kind === 'now'
      ? { kind }
      : { kind, localTime: when.kind === 'now' ? toLocalTime(nowMilliseconds()) : when.localTime };
  return (
    <fieldset class="when">
      <legend class="visually-hidden">{texts.form.when}</legend>
      <div class="choices">
        {kinds.map((kind) => (
          <label key={kind}>
            <input type="radio" name="when" checked={when.kind === kind} onChange={() => onChange(choose(kind))} />
            <span>{texts.form[kind]}</span>
          </label>
        ))}
      </div>
      {when.kind !== 'now' && (
        <input
          type="datetime-local"
          aria-label={texts.form.time}
          value={when.localTime}
          required
          onInput={({ currentTarget }) => onChange({ kind: when.kind, localTime: currentTarget.value.slice(0, 16) })}
        />
      )}
    </fieldset>
  );
}
