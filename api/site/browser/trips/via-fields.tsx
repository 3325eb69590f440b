import { useEffect, useRef, useState } from 'preact/hooks';
import { describeEnd } from '../../view-model/trip-words.ts';
import { type TripEnd, viaNames } from '../../view-model/trips-state.ts';
import { pageLanguage } from '../page/language.ts';
import { StopSearch } from '../stop-search/stop-search.tsx';
import { findTyped } from '../stop-search/use-stops.ts';
import { texts } from './page-texts.ts';

/** A field for a stop on the way. */
interface ViaField {
  readonly place: TripEnd | null;
  readonly typed: string;
}

/** The fields for stops on the way, while the search is edited. */
export interface EditedVia {
  readonly fields: readonly ViaField[];
  setFields(fields: readonly ViaField[]): void;
}

/** @param via of the search of the page; the fields begin again with it whenever `key` changes */
export function useVia(via: readonly TripEnd[], key: string): EditedVia {
  const [fields, setFields] = useState(() => via.map(toField));
  useEffect(() => setFields(via.map(toField)), [key]);
  return { fields, setFields: (next) => setFields([...next]) };
}

/** Fills an empty field, or adds one. @returns null if there is no room */
export function addStop(fields: readonly ViaField[], stop: TripEnd): readonly ViaField[] | null {
  const empty = fields.findIndex(({ place }) => place === null);
  if (empty >= 0) return fields.with(empty, toField(stop));
  return fields.length < viaNames.length ? [...fields, toField(stop)] : null;
}

function toField(place: TripEnd): ViaField {
  return { place, typed: '' };
}

/** The chosen stops; typed names count if they identify one. @returns null if one of them does not */
export async function findVia(fields: readonly ViaField[]): Promise<readonly TripEnd[] | null> {
  const used = fields.filter(({ place, typed }) => place !== null || typed.trim() !== '');
  const found = await Promise.all(
    used.map(async ({ place, typed }) => {
      const stop = place ? null : await findTyped(typed, 'stops');
      return place ?? (stop && { place: stop.id, name: stop.name });
    }),
  );
  return found.every((one) => one !== null) ? found : null;
}

/** A field for each stop on the way, which can be removed. A new one gets the focus, and after the last the button. */
export function ViaFields({ fields, setFields }: EditedVia) {
  const list = useRef<HTMLDivElement>(null);
  const count = useRef(fields.length);
  const isRemoved = useRef(false);
  useEffect(() => {
    // A new field is empty, while those of a link are not.
    const isNew = fields.length > count.current && fields.at(-1)!.place === null;
    if (isNew) list.current?.querySelector<HTMLInputElement>('li:last-child input')?.focus();
    else if (isRemoved.current) document.querySelector<HTMLButtonElement>('.extras button')?.focus();
    count.current = fields.length;
    isRemoved.current = false;
  }, [fields.length]);
  if (fields.length === 0) return null;
  const remove = (i: number) => {
    isRemoved.current = true;
    setFields(fields.filter((_, at) => at !== i));
  };
  const change = (i: number, field: ViaField) => setFields(fields.map((one, at) => (at === i ? field : one)));
  return (
    <div class="via" ref={list}>
      <ul>
        {fields.map(({ place, typed }, i) => {
          const name = describeEnd(place, pageLanguage()) || typed;
          return (
            <li key={i}>
              <StopSearch
                label={texts.form[viaNames[i]!]}
                value={name}
                onPick={(stop) => change(i, toField({ place: stop.id, name: stop.name }))}
                onType={(text) => change(i, { place: null, typed: text })}
              />
              <button class="remove" type="button" aria-label={texts.form.removeVia(name)} onClick={() => remove(i)}>
                <span aria-hidden="true">×</span>
              </button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
