import type { ComponentChild } from 'preact';
import type { Line } from '../../../contract/v2-basics.ts';
import type { Leg, LegStop } from '../../../contract/v2-trip.ts';
import { findLegLink, listLegNotes } from '../../view-model/leg-notes.ts';
import { findLegMode, isStraightWay } from '../../view-model/leg-ways.ts';
import { chooseBadge, findTripNumber } from '../../view-model/trip-number.ts';
import { isContinued, isStaying, type LegView } from '../../view-model/trip-view.ts';
import { describeWay } from '../../view-model/trip-words.ts';
import { LineBadge } from '../line-badge/line-badge.tsx';
import { ProductIcon } from '../line-badge/product-icon.tsx';
import { pageLanguage } from '../page/language.ts';
import { Platform } from '../times/platform.tsx';
import { texts } from './page-texts.ts';
import { TransferLine } from './transfer-line.tsx';
import { TripTime } from './trip-time.tsx';
import { WaySign } from './way-sign.tsx';

interface TripLegsProps {
  readonly views: readonly LegView[];
  /** Leg at which the trip fails (`bad`) or may fail (`warn`); null: none. */
  readonly failing: { readonly leg: number; readonly tone: 'warn' | 'bad' } | null;
  /** Renders the plan B for the transfer of a leg. */
  readonly renderPlanB?: (leg: number) => ComponentChild;
}

/** All legs of a trip in travel order. */
export function TripLegs({ views, failing, renderPlanB }: TripLegsProps) {
  return (
    <ol class="legs">
      {views.map((view, i) => (
        <li key={i} class={`leg ${view.leg.mode}`} data-failing={i === failing?.leg ? failing.tone : undefined}>
          {view.leg.mode === 'transit' ? (
            <RideLeg leg={view.leg} isContinued={isContinued(views, i)} />
          ) : (
            <WayLeg view={view} isFirst={i === 0} isLast={i === views.length - 1} />
          )}
          {view.transfer && <TransferLine transfer={view.transfer} />}
          {renderPlanB?.(i)}
        </li>
      ))}
    </ol>
  );
}

interface RideLegProps {
  readonly leg: Leg;
  readonly isContinued: boolean;
}

/** A ride from boarding to alighting; where a traveller stays on board, it joins the next one without a stop between. */
function RideLeg({ leg, isContinued }: RideLegProps) {
  const { line, direction, origin, destination, intermediateStops, cancellation, notices, journeyRef } = leg;
  return (
    <div
      class="ride"
      data-staying={isStaying(leg) || undefined}
      data-continued={isContinued || undefined}
      style={line?.colorHex ? { '--line-color': line.colorHex } : undefined}
    >
      {!isStaying(leg) && <CallRow stop={origin} event="departure" />}
      <div class="on-board">
        {isStaying(leg) && <p class="note">{texts.trip.stay(origin.name)}</p>}
        <p>
          {line && <RideBadge leg={leg} line={line} />} {direction && <bdi>{texts.trip.direction(direction)}</bdi>}
          {cancellation.fullyCancelled && <strong class="cancelled"> {texts.trip.cancelled}</strong>}
        </p>
        {cancellation.note && <p class="note">{cancellation.note}</p>}
        <LegNotes leg={leg} />
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
      {!isContinued && <CallRow stop={destination} event="arrival" />}
    </div>
  );
}

function LegNotes({ leg }: { readonly leg: Leg }) {
  const link = findLegLink(leg, pageLanguage());
  return (
    <>
      {listLegNotes(leg, pageLanguage()).map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
      {link && (
        <p class="note">
          <a href={link.address} rel="noopener noreferrer">
            {link.text}
          </a>
        </p>
      )}
    </>
  );
}

/** The line, by the number of the train if it has one; the product is shown beside. */
function RideBadge({ leg, line }: { readonly leg: Leg; readonly line: Line }) {
  const { badge, rest } = chooseBadge(line.label, findTripNumber(leg.attributes));
  return (
    <>
      <ProductIcon product={line.product} /> <LineBadge line={line} text={badge} />{' '}
      {rest && <bdi class="note">{rest}</bdi>}
    </>
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
  /** Start or end of a trip that begins or ends without a ride, at a place that is not a stop. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** A leg on foot, by bicycle or by car, a transfer or a wait. */
function WayLeg({ view, isFirst, isLast }: WayLegProps) {
  const { leg, minutes } = view;
  const { mode, origin, destination, steps } = leg;
  if (mode === 'wait') return <p class="way">{texts.trip.wait(minutes)}</p>;
  const way = (
    <div class="way">
      <p>
        <WaySign mode={findLegMode(leg) ?? 'walk'} /> {describeWay(view, pageLanguage())}{' '}
        {mode !== 'transfer' && <bdi>{texts.trip.walkTo(destination.name)}</bdi>}
        {isStraightWay(leg) && <span class="hint"> ({texts.trip.straight})</span>}
      </p>
      <LegNotes leg={leg} />
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
