import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { toLocalTime } from '../../view-model/local-time.ts';
import { listOffered, readTripMode, type TripMode } from '../../view-model/trip-modes.ts';
import { describeEnd } from '../../view-model/trip-words.ts';
import { emptyState, type TripEnd, type TripsState, viaNames, type When } from '../../view-model/trips-state.ts';
import { rememberStop } from '../favourites/recent-stops.ts';
import type { StoredStop } from '../favourites/stored-stops.ts';
import { nowMilliseconds } from '../live/server-clock.ts';
import { pageLanguage } from '../page/language.ts';
import { StopSearch } from '../stop-search/stop-search.tsx';
import { findTyped } from '../stop-search/use-stops.ts';
import { HereButton } from './here-button.tsx';
import { describeDay, texts } from './page-texts.ts';
import { type PickedAs, PickMap } from './pick-map.tsx';
import { addStop, type EditedVia, findVia, useVia, ViaFields } from './via-fields.tsx';

interface SearchFormProps {
  readonly state: TripsState;
  /** Modes that the service can plan. */
  readonly modes: readonly TripMode[];
  readonly onSearch: (state: TripsState) => void;
}

/** The search form; submitting it, or swapping the ends, updates the page. */
export function SearchForm({ state, modes, onSearch }: SearchFormProps) {
  const [isOpen, setOpen] = useState(state.from === null || state.to === null);
  const { query, setQuery, missing, endOf, setEnd, via, search, swap } = useEditedSearch(state, (next) => {
    setOpen(false);
    onSearch(next);
  });
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => setOpen(state.from === null || state.to === null), [keyOf(state)]);

  /** The button disappears with it, so the focus moves to the form; a field would open the keyboard. */
  const open = () => {
    setOpen(true);
    form.current?.focus();
  };
  return (
    <form
      class="trip-search"
      aria-label={texts.form.label}
      ref={form}
      tabIndex={-1}
      data-collapsed={!isOpen || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        void search(query);
      }}
    >
      <button class="summary" type="button" aria-expanded={isOpen} onClick={open}>
        <Summary state={state} />
      </button>
      <div class="ends">
        <StopSearch
          hasPlaces
          {...endOf('from')}
          beside={<HereButton onLocate={(place) => setEnd('from', { place, name: place })} />}
        />
        <button class="swap" type="button" aria-label={texts.form.swap} title={texts.form.swap} onClick={swap}>
          <span aria-hidden="true">⇅</span>
        </button>
        <StopSearch hasPlaces {...endOf('to')} />
      </div>
      <ViaFields {...via} />
      <Wishes query={query} modes={modes} onChange={setQuery}>
        <Extras via={via} near={query.from ?? query.to} onPick={setEnd} />
      </Wishes>
      <p class="missing" role="alert">
        {missing}
      </p>
    </form>
  );
}

/** A search while it is edited; it starts again from the search of the page whenever that changes. */
function useEditedSearch(state: TripsState, onSearch: (state: TripsState) => void) {
  const [query, setQuery] = useState(state);
  const [typed, setTyped] = useState({ from: '', to: '' });
  const [wasIncomplete, setIncomplete] = useState(false);
  const [isViaUnknown, setViaUnknown] = useState(false);
  const via = useVia(state.via, keyOf(state));
  const { from, to } = query;
  useEffect(() => setQuery(state), [keyOf(state)]);

  /** Also accepts typed names that identify one place. */
  const search = async (next: TripsState, fields = via.fields) => {
    const [from, to, stops] = await Promise.all([
      next.from ?? findEnd(typed.from),
      next.to ?? findEnd(typed.to),
      findVia(fields),
    ]);
    setIncomplete(from === null || to === null);
    setViaUnknown(stops === null);
    setQuery((before) => ({ ...before, from: before.from ?? from, to: before.to ?? to }));
    if (from && to && stops) onSearch({ ...emptyState, ...next, from, to, via: stops, pageToken: null, chosen: [] });
  };
  const swap = () => {
    const swapped = { ...query, from: to, to: from };
    const reversed = via.fields.toReversed();
    setQuery(swapped);
    setTyped({ from: typed.to, to: typed.from });
    via.setFields(reversed);
    if (from && to) void search(swapped, reversed);
  };
  const setEnd = (end: 'from' | 'to', place: TripEnd) => setQuery((before) => ({ ...before, [end]: place }));
  /** An edited text does not identify a stop until one is picked. */
  const endOf = (end: 'from' | 'to') => ({
    label: texts.form[end],
    value: describeEnd(query[end], pageLanguage()) || typed[end],
    onPick: (stop: StoredStop) => setEnd(end, toEnd(stop)),
    onType: (text: string) => {
      setTyped((before) => ({ ...before, [end]: text }));
      setQuery((before) => ({ ...before, [end]: null }));
    },
  });
  const missing =
    wasIncomplete && (from === null || to === null) ? texts.form.missing : isViaUnknown ? texts.form.missingVia : '';
  return { query, setQuery, missing, endOf, setEnd, via, search, swap };
}

/** Changes with whatever the form shows of the search of the page. */
function keyOf({ from, to, via, when, wheelchair, mode }: TripsState): string {
  return JSON.stringify([from, to, via, when, wheelchair, mode]);
}

interface WishesProps {
  readonly query: TripsState;
  readonly modes: readonly TripMode[];
  readonly onChange: (query: TripsState) => void;
  readonly children: ComponentChildren;
}

/** Time, wheelchair access and the mode to the stop, with further buttons and the button that submits the form. */
function Wishes({ query, modes, onChange, children }: WishesProps) {
  const offered = listOffered(modes, query.mode);
  return (
    <div class="wishes">
      <WhenFields when={query.when} onChange={(when) => onChange({ ...query, when })} />
      <label class="check">
        <input
          type="checkbox"
          checked={query.wheelchair}
          onChange={({ currentTarget }) => onChange({ ...query, wheelchair: currentTarget.checked })}
        />
        {texts.form.wheelchair}
      </label>
      {offered.length > 1 && (
        <label class="mode">
          {texts.form.mode}
          <select
            value={query.mode}
            onChange={({ currentTarget }) => onChange({ ...query, mode: readTripMode(currentTarget.value) })}
          >
            {offered.map((mode) => (
              <option key={mode} value={mode}>
                {texts.form.modes[mode]}
              </option>
            ))}
          </select>
        </label>
      )}
      {children}
      <button class="primary" type="submit">
        {texts.form.submit}
      </button>
    </div>
  );
}

interface ExtrasProps {
  readonly via: EditedVia;
  /** Where the map begins. */
  readonly near: TripEnd | null;
  readonly onPick: (end: 'from' | 'to', place: TripEnd) => void;
}

/** Buttons that add a stop on the way, and open a map to choose from. */
function Extras({ via: { fields, setFields }, near, onPick }: ExtrasProps) {
  const { addVia, addViaShort, pick } = texts.form;
  const [hasMap, setMap] = useState(false);
  const choose = (as: PickedAs, end: TripEnd) => {
    if (as === 'via') setFields(addStop(fields, end) ?? fields);
    else onPick(as, end);
  };
  return (
    <div class="extras">
      {fields.length < viaNames.length && (
        <button
          class="link"
          type="button"
          aria-label={addVia}
          onClick={() => setFields([...fields, { place: null, typed: '' }])}
        >
          + {addViaShort}
        </button>
      )}
      <button class="link" type="button" aria-expanded={hasMap} onClick={() => setMap(!hasMap)}>
        {hasMap ? pick.close : pick.open}
      </button>
      {hasMap && <PickMap near={near} canAddVia={(end) => addStop(fields, end) !== null} onPick={choose} />}
    </div>
  );
}

/** The search in two lines; on phones it replaces the form once there is something to show. */
function Summary({ state: { from, to, via, when, wheelchair, mode } }: { readonly state: TripsState }) {
  const wishes = [
    via.length > 0 ? texts.trip.via(via.map(({ name }) => name).join(', ')) : '',
    describeWhen(when),
    wheelchair ? texts.form.wheelchair : '',
    mode === 'walk' ? '' : texts.form.modes[mode],
  ];
  return (
    <>
      <span class="what">
        <strong>
          <bdi>{describeEnd(from, pageLanguage())}</bdi> <span aria-hidden="true">→</span>{' '}
          <bdi>{describeEnd(to, pageLanguage())}</bdi>
        </strong>
        <span class="note">{wishes.filter(Boolean).join(' · ')}</span>
      </span>
      <span class="edit">{texts.form.edit}</span>
    </>
  );
}

function describeWhen(when: When): string {
  if (when.kind === 'now') return texts.form.now;
  const [date = '', clock = ''] = when.localTime.split('T');
  return `${describeDay(date)}, ${texts.form[when.kind]} ${clock}`;
}

async function findEnd(text: string): Promise<TripEnd | null> {
  const stop = await findTyped(text, 'places');
  if (stop) rememberStop(stop);
  return stop && toEnd(stop);
}

function toEnd({ id, name }: StoredStop): TripEnd {
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
