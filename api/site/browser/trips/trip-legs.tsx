import type { Leg, LegStop } from '../../../contract/v2-trip.ts';
import { LineBadge } from '../line-badge/line-badge.tsx';
import { Platform } from '../times/platform.tsx';
import { texts } from './page-texts.ts';
import { WalkSign } from './ride-sequence.tsx';
import { TransferLine } from './transfer-line.tsx';
import { TripTime } from './trip-time.tsx';
import { isStaying, type LegView } from './trip-view.ts';

interface TripLegsProps {
  readonly views: readonly LegView[];
  /** Leg at which the trip fails (`bad`) or may fail (`warn`); null: none. */
  readonly failing: { readonly leg: number; readonly tone: 'warn' | 'bad' } | null;
}

/** All legs of a trip in travel order. */
export function TripLegs({ views, failing }: TripLegsProps) {
  return (
    <ol class="legs">
      {views.map((view, i) => (
        <li key={i} class={`leg ${view.leg.mode}`} data-failing={i === failing?.leg ? failing.tone : undefined}>
          {view.leg.mode === 'transit' ? (
            <RideLeg leg={view.leg} />
          ) : (
            <WayLeg view={view} isFirst={i === 0} isLast={i === views.length - 1} />
          )}
          {view.transfer && <TransferLine transfer={view.transfer} />}
        </li>
      ))}
    </ol>
  );
}

function RideLeg({ leg }: { readonly leg: Leg }) {
  const { line, direction, origin, destination, intermediateStops, cancellation, notices, journeyRef } = leg;
  return (
    <div class="ride" style={line?.colorHex ? { '--line-color': line.colorHex } : undefined}>
      <CallRow stop={origin} event="departure" />
      <div class="on-board">
        {isStaying(leg) && <p>{texts.trip.stay}</p>}
        <p>
          {line && <LineBadge line={line} />} {direction && <bdi>{texts.trip.direction(direction)}</bdi>}
          {cancellation.fullyCancelled && <strong class="cancelled"> {texts.trip.cancelled}</strong>}
        </p>
        {cancellation.note && <p class="note">{cancellation.note}</p>}
        <Calls stops={intermediateStops} />
        {notices.map(({ id, title, text }) => (
          <details key={id} class="notice">
            <summary>{title}</summary>
            <p>{text}</p>
          </details>
        ))}
        {journeyRef && line && (
          <p class="journey-link">
            <a href={`/journeys/${encodeURIComponent(journeyRef)}`}>{texts.trip.journey(line.label)}</a>
          </p>
        )}
      </div>
      <CallRow stop={destination} event="arrival" />
    </div>
  );
}

function Calls({ stops }: { readonly stops: readonly LegStop[] }) {
  if (stops.length === 0) return null;
  return (
    <details class="calls">
      <summary>{texts.trip.calls(stops.length)}</summary>
      <ol>
        {stops.map((stop, i) => (
          <li key={i}>
            <CallRow stop={stop} event={stop.departure ? 'departure' : 'arrival'} />
          </li>
        ))}
      </ol>
    </details>
  );
}

interface CallRowProps {
  readonly stop: LegStop;
  readonly event: 'arrival' | 'departure';
}

function CallRow({ stop, event }: CallRowProps) {
  const { name, platform, cancellation } = stop;
  return (
    <p class="call" data-cancelled={cancellation.fullyCancelled || undefined}>
      <TripTime time={stop[event]} />
      <bdi class="stop-name">{name}</bdi>
      <span class="at">
        <Platform platform={platform} />
      </span>
      {cancellation.fullyCancelled && <strong class="cancelled">{texts.trip.callCancelled}</strong>}
    </p>
  );
}

interface WayLegProps {
  readonly view: LegView;
  /** Start or end of a trip on foot, at a place without a call. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** A walk, transfer or wait. */
function WayLeg({ view: { leg, minutes }, isFirst, isLast }: WayLegProps) {
  const { mode, distanceMeters = 0, origin, destination, attributes, steps } = leg;
  if (mode === 'wait') return <p class="way">{texts.trip.wait(minutes)}</p>;
  const isStraight = attributes.includes('walk:straightLine');
  const walked = distanceMeters > 0 ? texts.trip.walk(Math.max(1, minutes), distanceMeters) : texts.trip.transfer;
  const way = (
    <div class="way">
      <p>
        <WalkSign /> {walked} {mode === 'walk' && <bdi>{texts.trip.walkTo(destination.name)}</bdi>}
        {isStraight && <span class="hint"> ({texts.trip.straight})</span>}
      </p>
      {steps.length > 1 && (
        <details class="calls">
          <summary>{texts.trip.steps}</summary>
          <ol>
            {steps.map(({ instruction }, i) => (
              <li key={i}>{instruction}</li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
  return (
    <>
      {isFirst && <CallRow stop={origin} event="departure" />}
      {way}
      {isLast && <CallRow stop={destination} event="arrival" />}
    </>
  );
}
