import type { Leg, LegStop } from '../../contract/v2-trip.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import type { Language } from '../texts/languages.ts';
import { tripsTexts } from '../texts/trips.ts';
import { describeTransfer } from '../view-model/transfer-words.ts';
import { chooseBadge, findTripNumber } from '../view-model/trip-number.ts';
import { isStaying, type LegView, listShownLegs, type TransferView } from '../view-model/trip-view.ts';
import { lineBadge, productIcon } from './server-badge.ts';
import { platform, tripTime } from './server-times.ts';

/** The lines and longer walks of a trip. */
export function rideSequence(views: readonly LegView[], language: Language): Html {
  const { onFoot } = tripsTexts[language].trip;
  return html`<ul class="ride-sequence">${listShownLegs(views).map(
    ({ leg, minutes }) =>
      html`<li${isStaying(leg) ? html` data-staying="true"` : nothing}>${leg.line ? lineBadge(leg.line) : html`<span class="walked">${onFoot} ${minutes}′</span>`}</li>`,
  )}</ul>`;
}

/** Place and risk of a transfer. */
export function transferLine(transfer: TransferView, language: Language): Html {
  const { change } = tripsTexts[language];
  const { tone, verdict, number, basis } = describeTransfer(transfer, change);
  return html`<p class="transfer-line" data-tone="${tone}"><span class="where">${change.at(transfer.stopName)}</span>
<span class="verdict">${verdict}</span>${number === null ? nothing : html`<span class="number">${number}</span>`}${basis === null ? nothing : html`<span class="basis">${basis}</span>`}</p>`;
}

/** All legs of a trip in travel order. */
export function serverLegs(views: readonly LegView[], language: Language): Html {
  return html`<ol class="legs">${views.map(({ leg, minutes, transfer }, i) => {
    const next = views[i + 1]?.leg;
    const isContinued = next !== undefined && isStaying(next);
    const part = leg.mode === 'transit' ? ride(leg, isContinued, language) : way(leg, minutes, language);
    const ends = leg.mode === 'transit' || leg.mode === 'wait' ? null : [i === 0, i === views.length - 1];
    return html`<li class="leg ${leg.mode}">${ends?.[0] ? call(leg.origin, 'departure', language) : nothing}${part}${
      ends?.[1] ? call(leg.destination, 'arrival', language) : nothing
    }${transfer === null ? nothing : transferLine(transfer, language)}</li>`;
  })}</ol>`;
}

function ride(leg: Leg, isContinued: boolean, language: Language): Html {
  const texts = tripsTexts[language].trip;
  const { line, direction, origin, destination, intermediateStops, journeyRef, cancellation } = leg;
  const { badge, rest } = chooseBadge(line?.label ?? '', findTripNumber(leg.attributes));
  const name = line && html`${productIcon(line, language)} ${lineBadge(line, badge)} ${rest ?? ''}`;
  const link =
    journeyRef === undefined || line === undefined
      ? nothing
      : html`<p class="journey-link"><a href="/journeys/${encodeURIComponent(journeyRef)}">${texts.journey(line.label)}</a></p>`;
  const calls =
    intermediateStops.length === 0
      ? nothing
      : html`<details class="calls"><summary>${texts.calls(intermediateStops.length)}</summary><ol>${intermediateStops.map(
          (stop) => html`<li>${call(stop, stop.departure ? 'departure' : 'arrival', language)}</li>`,
        )}</ol></details>`;
  return html`<div class="ride">${isStaying(leg) ? nothing : call(origin, 'departure', language)}
<div class="on-board">${isStaying(leg) ? html`<p class="note">${texts.stay(origin.name)}</p>` : nothing}
<p>${name ?? nothing} ${direction === undefined ? nothing : html`<bdi>${texts.direction(direction)}</bdi>`}${
    cancellation.fullyCancelled ? html` <strong class="cancelled">${texts.cancelled}</strong>` : nothing
  }</p>
${calls}${link}</div>
${isContinued ? nothing : call(destination, 'arrival', language)}</div>`;
}

function call(stop: LegStop, event: 'arrival' | 'departure', language: Language): Html {
  return html`<p class="call">${tripTime(stop[event], language)}<bdi class="stop-name">${stop.name}</bdi><span class="at">${platform(stop.platform, language)}</span></p>`;
}

function way({ mode, distanceMeters = 0, destination }: Leg, minutes: number, language: Language): Html {
  const texts = tripsTexts[language].trip;
  if (mode === 'wait') return html`<p class="way">${texts.wait(minutes)}</p>`;
  const walked = distanceMeters > 0 ? texts.walk(Math.max(1, minutes), distanceMeters) : texts.transfer;
  const target = mode === 'walk' ? html` <bdi>${texts.walkTo(destination.name)}</bdi>` : nothing;
  return html`<div class="way"><p>${walked}${target}</p></div>`;
}
