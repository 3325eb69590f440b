import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { StationPunctuality, StationsPunctuality } from '../../../contract/site-stations.ts';
import { mapPageTexts } from '../../texts/map.ts';
import { plainPunctualityTexts } from '../../texts/plain-punctuality.ts';
import { punctualityTexts } from '../../texts/punctuality.ts';
import { stationTexts } from '../../texts/stations.ts';
import { toDataPath } from '../../view-model/data-path.ts';
import { formatDate } from '../../view-model/formats.ts';
import { toLocalTime } from '../../view-model/local-time.ts';
import { stationClasses } from '../../view-model/station-punctuality.ts';
import { Statement } from '../charts/chart-panel.tsx';
import { LoadState } from '../charts/load-state.tsx';
import { useFetch } from '../fetch/use-fetch.ts';
import { nowMilliseconds } from '../live/server-clock.ts';
import { type Box, isInBox, type MapExtent, readMapExtent, writeMapExtent } from '../map/map-state.ts';
import { drawChosen } from '../map/map-style.ts';
import { MapTools } from '../map/map-tools.tsx';
import { type LargeMap, openLargeMap } from '../map/open-large-map.ts';
import { pageLanguage } from '../page/language.ts';
import { findPlace } from '../page/mount.ts';
import { useQuery } from '../page/use-query.ts';
import { addDays } from '../punctuality/page-state.ts';
import { PeriodFields } from '../punctuality/period-fields.tsx';
import { StationCard, StationTable } from './station-details.tsx';
import { drawStations, STATIONS, stationStyle } from './station-style.ts';

const language = pageLanguage();
const texts = stationTexts[language];
const STATION_ZOOM = 13;
const NO_STATIONS: readonly StationPunctuality[] = [];

/** The map of stations by punctuality, and a table of those in view. `stop` in the address chooses one. */
export function StationMapPage() {
  const [query, changeQuery] = useQuery();
  const dates = new URLSearchParams([...query].filter(([name]) => name === 'from' || name === 'to'));
  // The map stays while another period is loaded.
  const [{ answer, isLoading, error }] = useFetch<StationsPunctuality>(
    toDataPath('/site/data/punctuality/stations', dates),
    { keepsLast: true },
  );
  const stations = answer?.stations ?? NO_STATIONS;
  const chosen = { from: dates.get('from'), to: dates.get('to') };
  const form = (
    <form
      class="filters card"
      aria-label={punctualityTexts[language].filters.period}
      onSubmit={(event) => event.preventDefault()}
    >
      <PeriodFields chosen={chosen} period={answer?.period ?? null} end={yesterday()} onChange={changeQuery} />
    </form>
  );
  if (answer && stations.length === 0) {
    return (
      <>
        <p class="card">{plainPunctualityTexts[language].nothing}</p>
        {form}
      </>
    );
  }
  return (
    <>
      <LoadState isLoading={isLoading} error={error} />
      {answer ? (
        <Stations answer={answer} query={query} changeQuery={changeQuery} form={form} />
      ) : (
        <div class="map-view">{isLoading && <p class="map-lost card">{texts.loading}</p>}</div>
      )}
    </>
  );
}

interface StationsProps {
  readonly answer: StationsPunctuality;
  readonly query: URLSearchParams;
  readonly changeQuery: ReturnType<typeof useQuery>[1];
  /** Chooses the period, below the map. */
  readonly form: ComponentChildren;
}

function Stations({ answer, query, changeQuery, form }: StationsProps) {
  const { stations, count, period, onTimeMaxDelaySeconds, sql } = answer;
  const chosen = stations.find(({ id }) => id === query.get('stop')) ?? null;
  const choose = (id: string | null) => changeQuery({ stop: id }, 'replace');
  const { place, map, box, isFailed } = useStationMap(stations, readMapExtent(query), chosen, {
    onMove: (extent) => changeQuery(writeMapExtent(extent), 'replace'),
    onChoose: choose,
  });
  useEffect(() => map?.draw('chosen', drawChosen(chosen)), [map, chosen]);
  const inView = useMemo(() => stations.filter((one) => box === null || isInBox(box, one)), [stations, box]);
  const [from, to] = [period.from, period.to].map((date) => formatDate(date, language)) as [string, string];
  return (
    <>
      <div class="map-view">
        <div class="map-place" ref={place} />
        {map && <MapTools map={map} />}
        <StationLegend />
        {chosen && <StationCard station={chosen} onClose={() => choose(null)} />}
      </div>
      <p class="note" role="status">
        {isFailed ? mapPageTexts[language].failed : ''}
      </p>
      <p class="note">
        {texts.period(from, to, onTimeMaxDelaySeconds / 60)}{' '}
        {count > stations.length && texts.left(stations.length, count)}
      </p>
      {form}
      <StationTable stations={inView} />
      {sql !== null && <Statement name={null} sql={sql} />}
    </>
  );
}

/** The last complete day. */
function yesterday(): string {
  return addDays(toLocalTime(nowMilliseconds()).slice(0, 10), -1);
}

function StationLegend() {
  return (
    <ul class="delay-legend" aria-label={texts.legend}>
      {stationClasses.map((kind) => (
        <li key={kind}>
          <span class="station-dot" data-class={kind} aria-hidden="true" />
          {texts.classes[kind]}
        </li>
      ))}
    </ul>
  );
}

interface StationMapEvents {
  readonly onMove: (extent: MapExtent) => void;
  readonly onChoose: (id: string) => void;
}

/** Opens the map where the address says, at the chosen station, or on all of them. */
function useStationMap(
  stations: readonly StationPunctuality[],
  extent: MapExtent | null,
  chosen: StationPunctuality | null,
  { onMove, onChoose }: StationMapEvents,
) {
  const place = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<LargeMap | null>(null);
  const [box, setBox] = useState<Box | null>(null);
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    const tilesUrl = findPlace('station-map').dataset.tiles ?? null;
    const nearChosen = chosen && { lat: chosen.lat, lon: chosen.lon, zoom: STATION_ZOOM };
    openLargeMap(place.current!, {
      label: texts.label,
      start: extent ?? nearChosen ?? boundStations(stations),
      layers: [STATIONS],
      buildStyle: () => stationStyle(tilesUrl),
      onMove: (seen, seenBox) => {
        setBox(seenBox);
        onMove(seen);
      },
      onChoose: (_, { id }) => onChoose(String(id)),
    }).then(setMap, () => setFailed(true));
  }, []);
  useEffect(() => map?.draw('stations', drawStations(stations)), [map, stations]);
  return { place, map, box, isFailed };
}

function boundStations(stations: readonly StationPunctuality[]): Box {
  const lats = stations.map(({ lat }) => lat);
  const lons = stations.map(({ lon }) => lon);
  return {
    minLat: Math.min(...lats),
    minLon: Math.min(...lons),
    maxLat: Math.max(...lats),
    maxLon: Math.max(...lons),
  };
}
