import type { ArrivalPrediction } from '../../../contract/site-boards.ts';
import type { JourneyStop } from '../../../contract/v2-board.ts';
import { boardTexts } from '../../texts/boards.ts';
import { clockOf, listCallTimes } from '../../view-model/shown-time.ts';
import { pageLanguage } from '../page/language.ts';
import { CallTime, Delay } from '../times/call-time.tsx';
import { Platform } from '../times/platform.tsx';
import { isPassed, type VehicleProgress } from './vehicle-position.ts';

interface CallListProps {
  readonly stops: readonly JourneyStop[];
  readonly forecasts: readonly ArrivalPrediction[];
  readonly vehiclePosition: VehicleProgress;
  /** Colour of the line; null: unknown. */
  readonly color: string | null;
  /** The stop whose board linked here; null: none. */
  readonly fromStopId: string | null;
}

/** Shows all calls along a line in the colour of the line, and marks the position of the vehicle. */
export function CallList({ stops, forecasts, vehiclePosition, color, fromStopId }: CallListProps) {
  return (
    <ol class="calls" style={color === null ? undefined : { '--line-color': color }}>
      {stops.map((stop, position) => (
        <Call
          // A trip may call twice at a stop.
          key={`${position} ${stop.id}`}
          stop={stop}
          forecast={forecasts.find((one) => one.position === position) ?? null}
          isPassed={isPassed(vehiclePosition, position)}
          vehicleShare={findShare(vehiclePosition, position)}
          isMarked={fromStopId !== null && isSameStop(stop.id, fromStopId)}
        />
      ))}
    </ol>
  );
}

/** A board belongs to a station or to one of its platforms, whose ids begin with that of the station. */
function isSameStop(id: string, other: string): boolean {
  return id === other || id.startsWith(`${other}:`);
}

/** Share of the section from a call to the next that the vehicle has covered; null if it is elsewhere. */
function findShare(vehiclePosition: VehicleProgress, position: number): number | null {
  if (vehiclePosition.kind === 'at' && vehiclePosition.position === position) return 0;
  return vehiclePosition.kind === 'towards' && vehiclePosition.position === position + 1 ? vehiclePosition.share : null;
}

interface CallProps {
  readonly stop: JourneyStop;
  readonly forecast: ArrivalPrediction | null;
  readonly isPassed: boolean;
  readonly vehicleShare: number | null;
  readonly isMarked: boolean;
}

function Call({ stop, forecast, isPassed: passed, vehicleShare, isMarked }: CallProps) {
  const texts = boardTexts[pageLanguage()].journey;
  const { id, name, platform, cancellation } = stop;
  const isCancelled = cancellation.fullyCancelled;
  return (
    <li
      class="call"
      data-passed={passed}
      data-marked={isMarked}
      style={vehicleShare === null ? undefined : { '--share': vehicleShare }}
    >
      <span class="call-times">
        {listCallTimes(stop).map((time, i) => (
          <span key={String(i)}>
            <CallTime time={time} isCancelled={isCancelled} />
            {!isCancelled && <Delay minutes={time.delayMinutes} />}
          </span>
        ))}
      </span>
      <span class="call-mark" aria-hidden="true">
        {vehicleShare !== null && <span class="vehicle" />}
      </span>
      <span class="call-stop">
        <a href={`/stops/${encodeURIComponent(id)}`} aria-current={isMarked ? 'location' : undefined}>
          <bdi>{name}</bdi>
        </a>
        {isCancelled && (
          <span class="state" data-state="bad">
            {texts.callCancelled}
          </span>
        )}
        {forecast && !passed && !isCancelled && <Forecast forecast={forecast} />}
      </span>
      <span class="call-platform">{!isCancelled && <Platform platform={platform} />}</span>
    </li>
  );
}

function Forecast({ forecast: { earliest, latest } }: { readonly forecast: ArrivalPrediction }) {
  const texts = boardTexts[pageLanguage()].journey;
  return (
    <span class="call-forecast">
      {texts.forecast} {texts.between(clockOf(earliest), clockOf(latest))}
    </span>
  );
}
