import type { Stop } from '../../../contract/v2-basics.ts';
import type { StopList } from '../../../contract/v2-board.ts';
import { boardTexts } from '../../texts/boards.ts';
import { describeFailure } from '../../texts/failures.ts';
import { stopListPath } from '../../view-model/stop-list-path.ts';
import { FavouriteList } from '../favourites/favourite-list.tsx';
import { usePolled } from '../live/use-polled.ts';
import { useLocation } from '../location/use-location.ts';
import { pageLanguage } from '../page/language.ts';
import { useQuery } from '../page/use-query.ts';
import { StopSearch } from '../stop-search/stop-search.tsx';

/** Stops rarely change, so they are effectively fetched once. */
const SEARCH_SECONDS = 3600;

/** Finds a stop by name or near a position. Its state is in the query: `query`, or `lat` and `lon`. */
export function StopFinder() {
  const texts = boardTexts[pageLanguage()];
  const [query, changeQuery] = useQuery();
  const text = query.get('query');
  const { answer, error } = usePolled<StopList>(stopListPath(query), SEARCH_SECONDS);
  const nearby = useLocation(({ lat, lon }) => changeQuery({ query: null, lat: String(lat), lon: String(lon) }));
  return (
    <>
      <div class="stop-finder">
        <StopSearch
          label={texts.search}
          value={text ?? ''}
          onPick={({ id }) => location.assign(addressOf(id))}
          onSearch={(typed) => changeQuery({ query: typed, lat: null, lon: null })}
        />
        {nearby && (
          <button type="button" onClick={nearby.locate}>
            {texts.nearby}
          </button>
        )}
      </div>
      <p class="note" role="status">
        {nearby?.message}
        {error ? describeFailure(error.code, pageLanguage()) : ''}
        {answer?.stops.length === 0 ? (text === null ? texts.noneNearby : texts.noResults) : ''}
      </p>
      {!answer && <FavouriteList />}
      {answer && answer.stops.length > 0 && (
        <section>
          <h2>{text === null ? texts.nearbyResults : texts.results(text)}</h2>
          <FoundStops stops={answer.stops} />
        </section>
      )}
    </>
  );
}

function addressOf(stopId: string): string {
  return `/stops/${encodeURIComponent(stopId)}`;
}

function FoundStops({ stops }: { readonly stops: readonly Stop[] }) {
  const texts = boardTexts[pageLanguage()];
  return (
    <ul class="examples">
      {stops.map(({ id, name, distanceMeters }) => (
        <li key={id}>
          <a href={addressOf(id)}>
            <bdi>{name}</bdi>
            {distanceMeters !== undefined && <span class="note">{texts.meters(distanceMeters)}</span>}
          </a>
        </li>
      ))}
    </ul>
  );
}
