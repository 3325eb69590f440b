import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MapSection } from '../../../contract/site-map.ts';
import type { Coord } from '../../../contract/v2-basics.ts';
import { mapPageTexts } from '../../texts/map.ts';
import { includesSharing, listGroups, listProducts, readGroups } from '../../view-model/product-groups.ts';
import type { StoredStop } from '../favourites/stored-stops.ts';
import { pageLanguage } from '../page/language.ts';
import { findPlace } from '../page/mount.ts';
import { useQuery } from '../page/use-query.ts';
import { StopSearch } from '../stop-search/stop-search.tsx';
import { DelayLegend } from './delay-legend.tsx';
import { type Box, type MapExtent, readMapExtent, sortByDistance, stationKey, writeMapExtent } from './map-state.ts';
import { chosenLayers, drawChosen, SHARING, STOPS, styleOf } from './map-style.ts';
import { MapTools } from './map-tools.tsx';
import { type LargeMap, openLargeMap } from './open-large-map.ts';
import { PlaceCard } from './place-card.tsx';
import { ProductFilter } from './product-filter.tsx';
import { SharingCard, SharingList } from './sharing-list.tsx';
import { StopCard } from './stop-card.tsx';
import { findWholeNetwork, type SeenSection, useSection } from './use-section.ts';
import { hasSharing, useSharing } from './use-sharing.ts';
import { useVehicles } from './use-vehicles.ts';
import { VehicleCard } from './vehicle-card.tsx';
import { VehicleList } from './vehicle-list.tsx';

/** Maximum number of rows in the lists. */
const MAX_LISTED = 40;
/** A found stop or place is shown from this zoom. */
const FOUND_ZOOM = 15;

/** What was chosen on the map or found by the search, and is described by a card. */
type Chosen =
  | { readonly kind: 'stop' | 'place'; readonly id: string; readonly name: string; readonly coord: Coord }
  | { readonly kind: 'vehicle'; readonly id: string }
  /** @param key see `stationKey` */
  | { readonly kind: 'sharing'; readonly key: string };

/** The map, and lists of its content. */
export function MapPage() {
  const texts = mapPageTexts[pageLanguage()];
  const [query, changeQuery] = useQuery();
  const place = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const { map, seen, isFailed } = useMap(
    place,
    query,
    (extent) => changeQuery(writeMapExtent(extent), 'replace'),
    setChosen,
  );
  const groups = readGroups(query);
  const products = listProducts(groups);
  const section = useSection(map, seen, products);
  const isSharingShown = hasSharing() && includesSharing(groups);
  const sharing = useSharing(map, seen, isSharingShown);
  const { vehicles, count, error, isKnown } = useVehicles(map, seen, section, products);
  const nearest = useMemo(
    () => (seen ? sortByDistance(vehicles, seen.extent).slice(0, MAX_LISTED) : []),
    [vehicles, seen],
  );
  useEffect(() => {
    map?.draw('chosen', drawChosen(chosen && 'coord' in chosen ? chosen.coord : null));
  }, [map, chosen]);
  const close = () => setChosen(null);
  const describeState = () => {
    if (isFailed) return texts.failed;
    if (error) return texts.unavailable;
    return section?.isPartial || count > vehicles.length ? texts.partial : '';
  };
  const find = ({ id, name, kind, coord }: StoredStop) => {
    if (!map || !coord) return;
    map.map.flyTo({ center: [coord.lon, coord.lat], zoom: Math.max(map.map.getZoom(), FOUND_ZOOM) });
    setChosen({ kind: kind === 'station' ? 'stop' : 'place', id, name, coord });
  };
  const vehicle = chosen?.kind === 'vehicle' ? vehicles.find(({ id }) => id === chosen.id) : undefined;
  const station = chosen?.kind === 'sharing' ? sharing?.find((one) => stationKey(one) === chosen.key) : undefined;

  return (
    <>
      <div class="map-view">
        <div class="map-place" ref={place} />
        {map && <MapTools map={map} />}
        <div class="map-controls">
          <StopSearch label={texts.search} hasPlaces onPick={find} />
          <ProductFilter
            present={[...listGroups(section?.products ?? []), ...(hasSharing() ? ['sharing' as const] : [])]}
            chosen={groups}
            onChange={(value) => changeQuery({ products: value }, 'replace')}
          />
        </div>
        <DelayLegend />
        {chosen?.kind === 'stop' && <StopCard key={chosen.id} stop={chosen} onClose={close} />}
        {chosen?.kind === 'place' && <PlaceCard place={chosen} onClose={close} />}
        {vehicle && <VehicleCard vehicle={vehicle} onClose={close} />}
        {station && <SharingCard station={station} onClose={close} />}
      </div>
      <p class="note" role="status">
        {describeState()}
      </p>
      <div class="map-lists">
        <section aria-labelledby="vehicles-title">
          <h2 id="vehicles-title">{texts.vehicles}</h2>
          {isKnown && <VehicleList vehicles={nearest} count={count} />}
        </section>
        <StopList stops={section?.stops ?? null} />
        {isSharingShown && (
          <section aria-labelledby="sharing-title">
            <h2 id="sharing-title">{texts.sharing}</h2>
            <SharingList stations={sharing?.slice(0, MAX_LISTED) ?? null} />
          </section>
        )}
      </div>
    </>
  );
}

/** What a feature of the map stands for. */
function readChosen(layer: string, { id, name, key, lat, lon }: Readonly<Record<string, unknown>>): Chosen {
  if (layer === SHARING) return { kind: 'sharing', key: String(key) };
  if (layer !== STOPS) return { kind: 'vehicle', id: String(id) };
  return { kind: 'stop', id: String(id), name: String(name), coord: { lat: Number(lat), lon: Number(lon) } };
}

/** Opens the map and follows what it shows. @param onMove called at the start and after each move */
function useMap(
  place: RefObject<HTMLDivElement | null>,
  query: URLSearchParams,
  onMove: (extent: MapExtent) => void,
  choose: (chosen: Chosen) => void,
) {
  const [map, setMap] = useState<LargeMap | null>(null);
  const [isFailed, setFailed] = useState(false);
  const [seen, setSeen] = useState<SeenSection | null>(null);
  useEffect(() => {
    const tilesUrl = findPlace('map').dataset.tiles ?? null;
    findStart(query)
      .then((start) =>
        openLargeMap(place.current!, {
          label: mapPageTexts[pageLanguage()].label,
          start,
          layers: chosenLayers,
          buildStyle: () => styleOf(tilesUrl),
          onMove: (extent, box) => {
            setSeen({ extent, box });
            onMove(extent);
          },
          onChoose: (layer, properties) => choose(readChosen(layer, properties)),
        }),
      )
      .then(setMap, () => setFailed(true));
  }, []);
  return { map, seen, isFailed };
}

/** @param stops null while they are not known */
function StopList({ stops }: { readonly stops: MapSection['stops'] | null }) {
  const texts = mapPageTexts[pageLanguage()];
  return (
    <section aria-labelledby="stops-title">
      <h2 id="stops-title">{texts.stops}</h2>
      {stops?.length === 0 && <p class="note">{texts.noStops}</p>}
      <ul class="map-stops">
        {stops?.slice(0, MAX_LISTED).map(({ id, name }) => (
          <li key={id}>
            <a href={`/stops/${encodeURIComponent(id)}`}>{name}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The map extent in the URL, otherwise the whole network. */
async function findStart(query: URLSearchParams): Promise<MapExtent | Box> {
  return readMapExtent(query) ?? (await findWholeNetwork());
}
