import { useEffect } from 'preact/hooks';
import type { SiteJourney } from '../../../contract/site-boards.ts';
import type { Coord } from '../../../contract/v2-basics.ts';
import type { Journey } from '../../../contract/v2-board.ts';
import { boardTexts } from '../../texts/boards.ts';
import { describeFailure } from '../../texts/failures.ts';
import { describeCancellation } from '../../view-model/board-words.ts';
import { LineBadge } from '../line-badge/line-badge.tsx';
import { Freshness } from '../live/freshness.tsx';
import { useNow } from '../live/use-now.ts';
import { usePolled } from '../live/use-polled.ts';
import { Notices } from '../notices/notices.tsx';
import { pageLanguage } from '../page/language.ts';
import { useQuery } from '../page/use-query.ts';
import { CallList } from './call-list.tsx';
import { findVehiclePosition, type VehicleProgress } from './vehicle-position.ts';

const POLL_SECONDS = 15;
/** Zoom at which the streets around the vehicle are readable. */
const VEHICLE_ZOOM = 15;
/** Problems that a retry does not solve. */
const FINAL_PROBLEMS = ['unknown_journey', 'journey_expired', 'invalid_parameter'];

/** A journey with live updates. @param reference from a board */
export function JourneyView({ reference }: { readonly reference: string }) {
  const texts = boardTexts[pageLanguage()].journey;
  const polled = usePolled<SiteJourney>(`/site/data/journeys/${encodeURIComponent(reference)}`, POLL_SECONDS);
  const [query] = useQuery();
  const now = useNow(5);
  const { answer, error } = polled;
  useEffect(() => {
    if (answer) document.title = `${journeyTitle(answer.journey)} · Taktgeber`;
  }, [answer]);
  if (!answer) {
    const isFinal = error !== null && FINAL_PROBLEMS.includes(error.code);
    return (
      <>
        <h1>{texts.title}</h1>
        {isFinal ? <Unknown code={error.code} /> : <Freshness polled={polled} seconds={POLL_SECONDS} />}
      </>
    );
  }
  const { journey, forecasts } = answer;
  const vehiclePosition = findVehiclePosition(journey.stops, now);
  return (
    <>
      <h1 class="journey-name">
        <LineBadge line={journey.line} />{' '}
        <span>
          {texts.to('').trim()} <bdi>{journey.direction}</bdi>
        </span>
      </h1>
      <p class="vehicle-position" role="status">
        {describeState(journey, vehiclePosition)}
      </p>
      <Freshness polled={polled} seconds={POLL_SECONDS} />
      {journey.lastPosition && (
        <a class="button" href={mapSectionPath(journey.lastPosition)}>
          {texts.map}
        </a>
      )}
      <Notices notices={journey.notices} />
      <h2 class="visually-hidden">{texts.calls}</h2>
      <CallList
        stops={journey.stops}
        forecasts={forecasts}
        vehiclePosition={vehiclePosition}
        color={journey.line.colorHex ?? null}
        fromStopId={query.get('stop')}
      />
      {forecasts.length > 0 && <p class="note">{texts.forecastNote}</p>}
      <Facts journey={journey} />
    </>
  );
}

/** Why there is no such journey, and where to look for it. */
function Unknown({ code }: { readonly code: string }) {
  const language = pageLanguage();
  return (
    <div class="card empty" role="status">
      <p>{describeFailure(code, language)}</p>
      <a class="button" href="/stops">
        {boardTexts[language].journey.back}
      </a>
    </div>
  );
}

/** Path of the map page around a vehicle. */
function mapSectionPath({ lat, lon }: Coord): string {
  return `/map?${new URLSearchParams({ lat: String(lat), lon: String(lon), zoom: String(VEHICLE_ZOOM) })}`;
}

function journeyTitle({ line, direction }: Journey): string {
  return `${line.label} ${boardTexts[pageLanguage()].journey.to(direction)}`;
}

function describeState(journey: Journey, vehiclePosition: VehicleProgress): string {
  const cancellation = describeCancellation(journey, pageLanguage());
  if (journey.cancellation.fullyCancelled) return cancellation;
  const position = describeVehiclePosition(vehiclePosition, (position) => journey.stops[position]?.name ?? '');
  return `${cancellation} ${position}`.trim();
}

function describeVehiclePosition(vehiclePosition: VehicleProgress, stopNameAt: (position: number) => string): string {
  const texts = boardTexts[pageLanguage()].journey;
  switch (vehiclePosition.kind) {
    case 'at':
      return texts.atStop(stopNameAt(vehiclePosition.position));
    case 'towards':
      return texts.headsTo(stopNameAt(vehiclePosition.position));
    case 'unknown':
      return '';
    default:
      return texts[vehiclePosition.kind];
  }
}

function Facts({ journey: { line, serviceDate } }: { readonly journey: Journey }) {
  const texts = boardTexts[pageLanguage()];
  const facts = [
    [texts.products[line.product], line.name],
    [texts.journey.operator, line.operatorName],
    [texts.journey.day, serviceDate],
  ];
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
