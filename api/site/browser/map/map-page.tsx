import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { MapSection, MapSectionLine } from '../../../contract/site-map.ts';
import type { V1Vehicles } from '../../../contract/v1.ts';
import type { Line } from '../../../contract/v2-basics.ts';
import { mapPageTexts } from '../../texts/map.ts';
import { mapTexts } from '../../texts/map-view.ts';
import { fetchJson } from '../fetch/fetch-json.ts';
import { usePolled } from '../live/use-polled.ts';
import { pageLanguage } from '../page/language.ts';
import { useQuery } from '../page/use-query.ts';
import { type Box, readSight, type Sight, sectionPath, vehiclePath, wholeBox, writeSight } from './map-state.ts';
import { drawLines, drawStops, drawVehicles } from './map-style.ts';
import { MovingVehicles, type Vehicle } from './moving-vehicles.ts';
import { type NetworkMap, openNetworkMap } from './open-network-map.ts';
import { VehicleList } from './vehicle-list.tsx';

const POLL_SECONDS = 10;
/** Between two positions of a vehicle on the screen: it moves a pixel or two meanwhile. */
const FRAME_MILLISECONDS = 80;
/** Rows of the lists. */
const MAX_LISTED = 40;
/** Of a vehicle whose line has no colour. */
const PLAIN_COLOR = '#566069';
const open = (path: string) => location.assign(path);

/** The map, and what is on it as lists. */
export function MapPage() {
  const language = pageLanguage();
  const texts = mapPageTexts[language];
  const [query, changeQuery] = useQuery();
  const place = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<NetworkMap | null>(null);
  const [isFailed, setFailed] = useState(false);
  const [seen, setSeen] = useState<{ readonly sight: Sight; readonly box: Box } | null>(null);

  useEffect(() => {
    const follow = (sight: Sight, box: Box) => {
      setSeen({ sight, box });
      changeQuery(writeSight(sight), 'replace');
    };
    const events = {
      onSight: follow,
      onVehicle: (jid: string) => open(`/journeys/${encodeURIComponent(jid)}`),
      onStop: (id: string) => open(`/stops/${encodeURIComponent(id)}`),
    };
    findStart(query)
      .then((start) => openNetworkMap(place.current!, texts.label, start, events))
      .then(setMap, () => setFailed(true));
  }, []);

  const section = useSection(seen);
  const path = seen && vehiclePath(seen.box);
  const { answer, error } = usePolled<V1Vehicles>(path, POLL_SECONDS);
  const vehicles = answer?.vehicles ?? [];
  const lineOf = useLines(section?.lines ?? []);
  useDrawing(map, section, vehicles, lineOf);
  const nearest = useMemo(() => listNearest(vehicles, seen?.sight ?? null), [vehicles, seen]);

  return (
    <>
      <div class="map-view">
        <div class="map-place" ref={place} />
        {map && <ZoomButtons map={map} />}
      </div>
      <p class="note" role="status">
        {isFailed
          ? texts.failed
          : seen && !path
            ? texts.nearer
            : error
              ? texts.unavailable
              : section?.isPartial
                ? texts.partial
                : ''}
      </p>
      <div class="map-lists">
        <section aria-labelledby="vehicles-title">
          <h2 id="vehicles-title">{texts.vehicles}</h2>
          {path && <VehicleList vehicles={nearest} count={vehicles.length} lineOf={lineOf} />}
        </section>
        <section aria-labelledby="stops-title">
          <h2 id="stops-title">{texts.stops}</h2>
          {section && section.stops.length === 0 && <p class="note">{texts.noStops}</p>}
          <ul class="map-stops">
            {section?.stops.slice(0, MAX_LISTED).map(({ id, name }) => (
              <li key={id}>
                <a href={`/stops/${encodeURIComponent(id)}`}>{name}</a>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </>
  );
}

function ZoomButtons({ map: { map } }: { readonly map: NetworkMap }) {
  const texts = mapTexts[pageLanguage()];
  return (
    <div class="map-buttons">
      <button type="button" aria-label={texts.zoomIn} title={texts.zoomIn} onClick={() => map.zoomIn()}>
        +
      </button>
      <button type="button" aria-label={texts.zoomOut} title={texts.zoomOut} onClick={() => map.zoomOut()}>
        −
      </button>
    </div>
  );
}

const WORLD: Box = { minLat: -60, minLon: -180, maxLat: 75, maxLon: 180 };

/** The place of the address, else the whole network. */
async function findStart(query: URLSearchParams): Promise<Sight | Box> {
  const sight = readSight(query);
  if (sight) return sight;
  const { answer } = await fetchJson<MapSection>(sectionPath(WORLD, 0));
  return wholeBox(answer) ?? WORLD;
}

/** Lines and stops of what is seen; the last ones stay until the next have arrived. */
function useSection(seen: { readonly sight: Sight; readonly box: Box } | null): MapSection | null {
  const [section, setSection] = useState<MapSection | null>(null);
  const path = seen && sectionPath(seen.box, seen.sight.zoom);
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    fetchJson<MapSection>(path, { signal: abort.signal }).then(
      ({ answer }) => setSection(answer),
      // What was drawn stays; the next move asks again.
      () => {},
    );
    return () => abort.abort();
  }, [path]);
  return section;
}

/** The line of a vehicle, with the colour that it has on the map. */
function useLines(lines: readonly MapSectionLine[]): (vehicle: Vehicle) => Line {
  return useMemo(() => {
    const colors = new Map(lines.map(({ label, product, colorHex }) => [`${product} ${label}`, colorHex]));
    return ({ line, product }) => {
      const colorHex = colors.get(`${product} ${line}`) ?? PLAIN_COLOR;
      return { label: line ?? '', product: product ?? 'other', colorHex } as Line;
    };
  }, [lines]);
}

/** Draws what has arrived, and vehicles as long as they move. */
function useDrawing(
  map: NetworkMap | null,
  section: MapSection | null,
  vehicles: readonly Vehicle[],
  lineOf: (vehicle: Vehicle) => Line,
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

function listNearest(vehicles: readonly Vehicle[], sight: Sight | null): readonly Vehicle[] {
  if (!sight) return [];
  const distance = ({ lat, lon }: Vehicle) =>
    Math.hypot(lat - sight.lat, (lon - sight.lon) * Math.cos((sight.lat * Math.PI) / 180));
  return [...vehicles].sort((a, b) => distance(a) - distance(b)).slice(0, MAX_LISTED);
}
