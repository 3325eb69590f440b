import type { ComponentChildren } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { Stop } from '../../../contract/v2-basics.ts';
import { stopSearchTexts } from '../../texts/stop-search.ts';
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
  readonly onPick: (stop: Stop) => void;
  /** Called for any change of the text before a stop is picked. */
  readonly onType?: (text: string) => void;
  /** Called for Enter on a text without suggestions; absent: nothing happens. */
  readonly onSearch?: (text: string) => void;
  /** A button next to the label. */
  readonly beside?: ComponentChildren;
}

const arrowSteps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * A field that suggests stops while the user types.
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
  const { stops } = found;
  const isOpen = typed !== '' && stops.length > 0;
  useEffect(() => setOwn(value), [value]);

  const close = () => setTyped('');
  const pick = (stop: Stop) => {
    setOwn(stop.name);
    close();
    onPick(stop);
  };
  const search = () => text.trim() !== '' && onSearch?.(text.trim());
  const { active, onKeyDown } = useKeys(isOpen ? stops : [], { resetBy: stops, pick, search, close });

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
          onType?.(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <div class="suggestions" id={`${id}-list`} role="listbox" aria-label={label} hidden={!isOpen}>
        {stops.map((stop, i) => (
          <Suggestion key={stop.id} id={`${id}-${i}`} isActive={i === active} {...{ stop, hasPlaces, pick }} />
        ))}
      </div>
      <p class="hint" role="status">
        {typed.trim() === '' ? '' : describe(found, hasPlaces ? { ...texts, ...texts.places } : texts)}
      </p>
    </div>
  );
}

interface KeyActions {
  /** No suggestion is active after a change of this value. */
  readonly resetBy: unknown;
  readonly pick: (stop: Stop) => void;
  /** Called for Enter without visible suggestions. */
  readonly search: () => void;
  readonly close: () => void;
}

/** @param visible suggestions @returns the row of the active suggestion, or -1, and the handler of keys */
function useKeys(visible: readonly Stop[], { resetBy, pick, search, close }: KeyActions) {
  const [active, setActive] = useState(-1);
  useEffect(() => setActive(-1), [resetBy]);
  const count = visible.length;
  const onKeyDown = (event: KeyboardEvent) => {
    const step = arrowSteps[event.key];
    if (step !== undefined && count > 0) {
      event.preventDefault();
      setActive((active + step + count + (active < 0 && step < 0 ? 1 : 0)) % count);
    } else if (event.key === 'Enter' && count > 0) {
      event.preventDefault();
      pick(visible[Math.max(active, 0)]!);
    } else if (event.key === 'Enter') search();
    else if (event.key === 'Escape') close();
  };
  return { active, onKeyDown };
}

interface SuggestionProps {
  readonly id: string;
  readonly stop: Stop;
  readonly isActive: boolean;
  readonly hasPlaces: boolean;
  readonly pick: (stop: Stop) => void;
}

function Suggestion({ id, stop, isActive, hasPlaces, pick }: SuggestionProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles keys
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => pick(stop)}
    >
      {hasPlaces && <PlaceIcon kind={stop.kind} />}
      <bdi>{stop.name}</bdi>
    </div>
  );
}

type HintTexts = Pick<(typeof stopSearchTexts)['de'], 'failed' | 'none' | 'found'>;

function describe({ state, stops }: FoundStops, texts: HintTexts): string {
  if (state === 'failed') return texts.failed;
  if (state === 'idle') return '';
  return stops.length === 0 ? texts.none : texts.found(stops.length);
}
