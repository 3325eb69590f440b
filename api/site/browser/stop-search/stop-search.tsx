import type { ComponentChildren } from 'preact';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { stopSearchTexts } from '../../texts/stop-search.ts';
import { forgetRecent, type OfferedStops, offerStops, rememberStop } from '../favourites/recent-stops.ts';
import type { StoredStop } from '../favourites/stored-stops.ts';
import { pageLanguage } from '../page/language.ts';
import { PlaceIcon } from './place-icon.tsx';
import { type FoundStops, useStops } from './use-stops.ts';
import './stop-search.css';

interface StopSearchProps {
  readonly label: string;
  /** Text of the field, initially and whenever this value changes; with `onType` the parent controls the text. */
  readonly value?: string;
  /** Whether addresses and places are suggested beside stops. */
  readonly hasPlaces?: boolean;
  readonly onPick: (stop: StoredStop) => void;
  /** Called for any change of the text before a stop is picked. */
  readonly onType?: (text: string) => void;
  /** Called for Enter on a text without suggestions; absent: nothing happens. */
  readonly onSearch?: (text: string) => void;
  /** A button next to the label. */
  readonly beside?: ComponentChildren;
}

const arrowSteps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * A field that suggests stops while the user types. While it is empty, it offers those that were chosen last.
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function StopSearch({ label, value = '', hasPlaces = false, beside, ...actions }: StopSearchProps) {
  const { onPick, onType, onSearch } = actions;
  const texts = stopSearchTexts[pageLanguage()];
  const id = useId();
  const [own, setOwn] = useState(value);
  const text = onType ? value : own;
  const [typed, setTyped] = useState('');
  const found = useStops(typed, hasPlaces);
  const [isFocused, setFocused] = useState(false);
  const hasOffer = isFocused && text === '';
  const offer = useMemo(() => (hasOffer ? offerStops(hasPlaces) : noOffer), [hasOffer, hasPlaces]);
  const stops = typed === '' ? offer.stops : found.stops;
  const isOpen = stops.length > 0;
  useEffect(() => setOwn(value), [value]);

  const close = () => {
    setTyped('');
    setFocused(false);
  };
  const pick = (stop: StoredStop) => {
    setOwn(stop.name);
    close();
    rememberStop(stop);
    onPick(stop);
  };
  const forget = () => {
    forgetRecent();
    close();
  };
  const choices = [...stops.map((stop) => () => pick(stop)), ...(offer.hasRecent ? [forget] : [])];
  const search = () => text.trim() !== '' && onSearch?.(text.trim());
  const first = typed === '' ? -1 : 0;
  const { active, onKeyDown } = useKeys(choices, { first, resetBy: stops, search, close });

  return (
    <div class="stop-search">
      <div class="label-row">
        <label for={`${id}-field`}>{label}</label>
        {beside}
      </div>
      <input
        id={`${id}-field`}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        placeholder={hasPlaces ? texts.placePlaceholder : texts.placeholder}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && active >= 0 ? `${id}-${active}` : undefined}
        value={text}
        onInput={({ currentTarget }) => {
          setOwn(currentTarget.value);
          setTyped(currentTarget.value);
          setFocused(true);
          onType?.(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setFocused(true)}
        onClick={() => setFocused(true)}
        onBlur={close}
      />
      <div
        class="suggestions"
        id={`${id}-list`}
        role="listbox"
        aria-label={typed === '' ? texts.recent : label}
        hidden={!isOpen}
      >
        {stops.map((stop, i) => (
          <Suggestion key={stop.id} id={`${id}-${i}`} isActive={i === active} pick={choices[i]!}>
            {hasPlaces && <PlaceIcon kind={stop.kind} />}
            <bdi>{stop.name}</bdi>
          </Suggestion>
        ))}
        {offer.hasRecent && (
          <Suggestion id={`${id}-${stops.length}`} isActive={active === stops.length} pick={forget}>
            <span class="forget">{texts.forget}</span>
          </Suggestion>
        )}
      </div>
      <p class="hint" role="status">
        {typed.trim() === '' ? '' : describe(found, hasPlaces ? { ...texts, ...texts.places } : texts)}
      </p>
    </div>
  );
}

const noOffer: OfferedStops = { stops: [], hasRecent: false };

interface KeyActions {
  /** The choice that Enter takes while none is active; -1: none. */
  readonly first: number;
  /** No choice is active after a change of this value. */
  readonly resetBy: unknown;
  /** Called for Enter without visible suggestions. */
  readonly search: () => void;
  readonly close: () => void;
}

/** @param choices that are visible @returns the number of the active choice, or -1, and the handler of keys */
function useKeys(choices: readonly (() => void)[], { first, resetBy, search, close }: KeyActions) {
  const [active, setActive] = useState(-1);
  useEffect(() => setActive(-1), [resetBy]);
  const count = choices.length;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = arrowSteps[event.key];
    if (step !== undefined && count > 0) {
      event.preventDefault();
      setActive((active + step + count + (active < 0 && step < 0 ? 1 : 0)) % count);
    } else if (event.key === 'Enter' && choices[Math.max(active, first)]) {
      event.preventDefault();
      choices[Math.max(active, first)]!();
    } else if (event.key === 'Enter') search();
    else if (event.key === 'Escape') close();
  };
  return { active, onKeyDown };
}

interface SuggestionProps {
  readonly id: string;
  readonly isActive: boolean;
  readonly pick: () => void;
  readonly children: ComponentChildren;
}

function Suggestion({ id, isActive, pick, children }: SuggestionProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles keys
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      onPointerDown={(event) => event.preventDefault()}
      onClick={pick}
    >
      {children}
    </div>
  );
}

type HintTexts = Pick<(typeof stopSearchTexts)['de'], 'failed' | 'none' | 'found'>;

function describe({ state, stops }: FoundStops, texts: HintTexts): string {
  if (state === 'failed') return texts.failed;
  if (state === 'idle') return '';
  return stops.length === 0 ? texts.none : texts.found(stops.length);
}
