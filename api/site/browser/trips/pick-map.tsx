import { useEffect, useRef, useState } from 'preact/hooks';
import type { Coord } from '../../../contract/v2-basics.ts';
import type { StopInfo } from '../../../contract/v2-board.ts';
import { stopInfoPath } from '../../view-model/board-state.ts';
import { describeEnd, readCoordinate } from '../../view-model/trip-words.ts';
import type { TripEnd } from '../../view-model/trips-state.ts';
import { fetchJson } from '../fetch/fetch-json.ts';
import { CardHead } from '../map/card-head.tsx';
import type { MapExtent } from '../map/map-state.ts';
import { drawChosen, STOPS, styleOf } from '../map/map-style.ts';
import { MapTools } from '../map/map-tools.tsx';
import { type LargeMap, openLargeMap } from '../map/open-large-map.ts';
import { findWholeNetwork, type SeenSection, useSection } from '../map/use-section.ts';
import { pageLanguage } from '../page/language.ts';
import { texts } from './page-texts.ts';
import '../map/map.css';

/** A stop or another point of the map. */
interface Picked {
  readonly end: TripEnd;
  readonly coord: Coord;
  readonly isStop: boolean;
}

export type PickedAs = 'from' | 'via' | 'to';

interface PickMapProps {
  /** Where the map begins; null: the whole network. */
  readonly near: TripEnd | null;
  /** Whether another stop on the way can be added. */
  readonly canAddVia: (stop: TripEnd) => boolean;
  readonly onPick: (as: PickedAs, end: TripEnd) => void;
}

const NEAR_ZOOM = 14;

/** A map on which a tap chooses a place of the trip. The fields do the same for the keyboard. */
export function PickMap({ near, canAddVia, onPick }: PickMapProps) {
  const place = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<LargeMap | null>(null);
  const [isFailed, setFailed] = useState(false);
  const [seen, setSeen] = useState<SeenSection | null>(null);
  const [picked, setPicked] = useState<Picked | null>(null);
  useSection(map, seen, null);
  useEffect(() => map?.draw('chosen', drawChosen(picked?.coord ?? null)), [map, picked]);
  useEffect(() => {
    let isGone = false;
    let opened: LargeMap | null = null;
    openPickMap(place.current!, near, setSeen, setPicked).then(
      (result) => {
        opened = result;
        if (isGone) result.close();
        else setMap(result);
      },
      () => setFailed(true),
    );
    return () => {
      isGone = true;
      opened?.close();
    };
  }, []);
  const pick = (as: PickedAs) => {
    onPick(as, picked!.end);
    setPicked(null);
  };
  if (isFailed) return <p class="hint">{texts.form.pick.failed}</p>;
  return (
    <div class="pick-map">
      <p class="hint">{texts.form.pick.hint}</p>
      <div class="map-view">
        <div class="map-place" ref={place} />
        {map && <MapTools map={map} />}
        {picked && (
          <div class="map-card card" role="status">
            <CardHead name={describeEnd(picked.end, pageLanguage())} onClose={() => setPicked(null)} />
            <p class="actions">
              <button type="button" onClick={() => pick('from')}>
                {texts.form.from}
              </button>
              {picked.isStop && canAddVia(picked.end) && (
                <button type="button" onClick={() => pick('via')}>
                  {texts.form.via}
                </button>
              )}
              <button type="button" onClick={() => pick('to')}>
                {texts.form.to}
              </button>
            </p>
          </div>
        )}
      </div>
    </div>
  );
}

async function openPickMap(
  place: HTMLElement,
  near: TripEnd | null,
  onMove: (seen: SeenSection) => void,
  onPick: (picked: Picked) => void,
): Promise<LargeMap> {
  const start = (await findNear(near)) ?? (await findWholeNetwork());
  return openLargeMap(place, {
    label: texts.form.pick.label,
    start,
    layers: [STOPS],
    buildStyle: () => styleOf(null),
    onMove: (extent, box) => onMove({ extent, box }),
    onChoose: (_, { id, name, lat, lon }) =>
      onPick({
        end: { place: String(id), name: String(name) },
        coord: { lat: Number(lat), lon: Number(lon) },
        isStop: true,
      }),
    onPoint: (coord) => {
      const at = `${coord.lat.toFixed(5)},${coord.lon.toFixed(5)}`;
      onPick({ end: { place: at, name: at }, coord, isStop: false });
    },
  });
}

/** Around a chosen place; null without one, or if it is unknown where it is. */
async function findNear(near: TripEnd | null): Promise<MapExtent | null> {
  if (near === null) return null;
  const coord = readCoordinate(near.place) ?? (await findStopCoord(near.place));
  return coord && { ...coord, zoom: NEAR_ZOOM };
}

async function findStopCoord(stopId: string): Promise<Coord | null> {
  const found = await fetchJson<StopInfo>(stopInfoPath(stopId)).catch(() => null);
  return found?.answer.stop.coord ?? null;
}
