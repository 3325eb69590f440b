import { useState } from 'preact/hooks';
import { boardTexts } from '../../texts/boards.ts';
import { pageLanguage } from '../page/language.ts';
import { readFavourites } from './favourites.ts';

/** Links to the marked stops; empty without any. */
export function FavouriteList() {
  const [stops] = useState(readFavourites);
  if (stops.length === 0) return null;
  return (
    <section>
      <h2>{boardTexts[pageLanguage()].tools.favourites}</h2>
      <ul class="examples">
        {stops.map(({ id, name }) => (
          <li key={id}>
            <a href={`/stops/${encodeURIComponent(id)}`}>
              <bdi>{name}</bdi>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
