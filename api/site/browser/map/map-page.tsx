import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MapSection, MapSectionLine } from '../../../contract/site-map.ts';
import type { V1Vehicles } from '../../../contract/v1.ts';
import type { Line } from '../../../contract/v2-basics.ts';
import { mapPageTexts } from '../../texts/map.ts';
import { fetchJson } from '../fetch/fetch-json.ts';
import { usePolled } from '../live/use-polled.ts';
import { pageLanguage } from '../page/language.ts';
import { useQuery } from '../page/use-query.ts';
import {
  type Box,
  type MapExtent,
  readMapExtent,
  sectionPath,
  sortByDistance,
  stationKey,
  vehiclePath,
  wholeBox,
  writeMapExtent,
} from './map-state.ts';
import { drawLines, drawStops, drawVehicles } from './map-style.ts';
import { MapTools } from './map-tools.tsx';
import { type MapVehicle, MovingVehicles } from './moving-vehicles.ts';
import { type NetworkMap, openNetworkMap } from './open-network-map.ts';
import { SharingCard, SharingList } from './sharing-list.tsx';
import { type ChosenStop, StopCard } from './stop-card.tsx';
import { hasSharing, useSharing } from './use-sharing.ts';
import { VehicleList } from './vehicle-list.tsx';

const POLL_SECONDS = 10;
/** Interval between two frames: a vehicle moves by one or two pixels. */
const FRAME_MILLISECONDS = 80;
/** Maximum number of rows in the lists. */
const MAX_LISTED = 40;
/** Colour of a vehicle whose line has none. */
const PLAIN_COLOR = '#566069';
const open = (path: string) => location.assign(path);

/** The map, and lists of its content. */
export function MapPage() {
  const language = pageLanguage();
  const texts = mapPageTexts[language];
  const [query, changeQuery] = useQuery();
  const place = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<NetworkMap | null>(null);
  const [isFailed, setFailed] = useState(false);
  const [seen, setSeen] = useState<{ readonly extent: MapExtent; readonly box: Box } | null>(null);

  useEffect(() => {
    const follow = (extent: MapExtent, box: Box) => {
      setSeen({ extent, box });
      changeQuery(writeMapExtent(extent), 'replace');
    };
    const events = {
      onMove: follow,
      onVehicle: (jid: string) => open(`/journeys/${encodeURIComponent(jid)}`),
      onStop: (stop: ChosenStop) => {
        setChosen(null);
        setStop(stop);
      },
      onSharing: (key: string) => {
        setStop(null);
        setChosen(key);
      },
    };
    findStart(query)
      .then((start) => openNetworkMap(place.current!, texts.label, start, events))
      .then(setMap, () => setFailed(true));
  }, []);

  const [chosen, setChosen] = useState<string | null>(null);
  const [stop, setStop] = useState<ChosenStop | null>(null);
  const section = useSection(seen);
  const sharing = useSharing(map, seen);
  const station = sharing?.find((one) => stationKey(one) === chosen) ?? null;
  const path = seen && vehiclePath(seen.box);
  const { answer, error } = usePolled<V1Vehicles>(path, POLL_SECONDS);
  const vehicles = answer?.vehicles ?? [];
  const lineOf = useLines(section?.lines ?? []);
  useDrawing(map, section, vehicles, lineOf);
  const nearest = useMemo(() => listNearest(vehicles, seen?.extent ?? null), [vehicles, seen]);
  const describeState = () => {
    if (isFailed) return texts.failed;
    if (seen && !path) return texts.nearer;
    if (error) return texts.unavailable;
    return section?.isPartial ? texts.partial : '';
  };

  return (
    <>
      <div class="map-view">
        <div class="map-place" ref={place} />
        {map && <MapTools map={map} />}
        {stop && <StopCard key={stop.id} stop={stop} onClose={() => setStop(null)} />}
        {station && <SharingCard station={station} onClose={() => setChosen(null)} />}
      </div>
      <p class="note" role="status">
        {describeState()}
      </p>
      <div class="map-lists">
        <section aria-labelledby="vehicles-title">
          <h2 id="vehicles-title">{texts.vehicles}</h2>
          {path && <VehicleList vehicles={nearest} count={vehicles.length} lineOf={lineOf} />}
        </section>
        <StopList stops={section?.stops ?? null} />
        {hasSharing() && (
          <section aria-labelledby="sharing-title">
            <h2 id="sharing-title">{texts.sharing}</h2>
            <SharingList stations={sharing?.slice(0, MAX_LISTED) ?? null} />
          </section>
        )}
      </div>
    </>
  );
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

const WORLD: Box = { minLat: -60, minLon: -180, maxLat: 75, maxLon: 180 };

/** The map extent in the URL, otherwise the whole network. */
async function findStart(query: URLSearchParams): Promise<MapExtent | Box> {
  const extent = readMapExtent(query);
  if (extent) return extent;
  const { answer } = await fetchJson<MapSection>(sectionPath(WORLD, 0));
  return wholeBox(answer) ?? WORLD;
}

/** Fetches lines and stops of the visible section; the previous ones stay until the next arrive. */
function useSection(seen: { readonly extent: MapExtent; readonly box: Box } | null): MapSection | null {
  const [section, setSection] = useState<MapSection | null>(null);
  const path = seen && sectionPath(seen.box, seen.extent.zoom);
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    fetchJson<MapSection>(path, { signal: abort.signal }).then(
      ({ answer }) => setSection(answer),
      // The drawn section stays; the next move fetches again.
      () => {},
    );
    return () => abort.abort();
  }, [path]);
  return section;
}

/** The line of a vehicle, with its colour on the map. */
function useLines(lines: readonly MapSectionLine[]): (vehicle: MapVehicle) => Line {
  return useMemo(() => {
    const colors = new Map(lines.map(({ label, product, colorHex }) => [`${product} ${label}`, colorHex]));
    return ({ line, product }) => {
      const colorHex = colors.get(`${product} ${line}`) ?? PLAIN_COLOR;
      return { label: line ?? '', product: product ?? 'other', colorHex } as Line;
    };
  }, [lines]);
}

/** Draws new data, and animates vehicles while they move. */
function useDrawing(
  map: NetworkMap | null,
  section: MapSection | null,
  vehicles: readonly MapVehicle[],
  lineOf: (vehicle: MapVehicle) => Line,
): void {
  const moving = useMemo(() => {
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    return new MovingVehicles(isCalm ? 0 : POLL_SECONDS * 1000);
  }, []);
  useEffect(() => {
    if (!map || !section) return;
    map.draw('lines', drawLines(section));
    map.draw('stops', drawStops(section));
  }, [map, section]);
  useEffect(() => {
    if (!map) return;
    moving.update(vehicles, section?.lines ?? [], performance.now());
    let frame = 0;
    let drawnAt = Number.NEGATIVE_INFINITY;
    const draw = () => {
      const now = performance.now();
      frame = requestAnimationFrame(draw);
      if (now - drawnAt < FRAME_MILLISECONDS) return;
      drawnAt = now;
      map.draw(
        'vehicles',
        drawVehicles(moving.place(now), (vehicle) => lineOf(vehicle).colorHex ?? PLAIN_COLOR),
      );
      if (moving.isAtRest(now)) cancelAnimationFrame(frame);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [map, vehicles, section, lineOf]);
}

function listNearest(vehicles: readonly MapVehicle[], extent: MapExtent | null): readonly MapVehicle[] {
  if (!extent) return [];
  return sortByDistance(vehicles, extent).slice(0, MAX_LISTED);
}
