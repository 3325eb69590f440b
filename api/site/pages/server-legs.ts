import type { Leg, LegStop } from '../../contract/v2-trip.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import type { Language } from '../texts/languages.ts';
import { tripsTexts } from '../texts/trips.ts';
import { findLegLink, listLegNotes } from '../view-model/leg-notes.ts';
import { findLegMode, isStraightWay, type LegMode, legWays } from '../view-model/leg-ways.ts';
import { describeTransfer } from '../view-model/transfer-words.ts';
import { chooseBadge, findTripNumber } from '../view-model/trip-number.ts';
import { isContinued, isStaying, type LegView, listShownLegs, type TransferView } from '../view-model/trip-view.ts';
import { describeWay } from '../view-model/trip-words.ts';
import { lineBadge, productIcon } from './server-badge.ts';
import { platform, tripTime } from './server-times.ts';

/** The lines, longer walks, and bicycle and car legs of a trip. */
export function rideSequence(views: readonly LegView[], language: Language): Html {
  return html`<ul class="ride-sequence">${listShownLegs(views).map(
    ({ leg, minutes }) =>
      html`<li${leg.cancellation.fullyCancelled ? html` data-cancelled="true"` : nothing}${isStaying(leg) ? html` data-staying="true"` : nothing}>${leg.line ? lineBadge(leg.line) : shortWay(leg, minutes, language)}</li>`,
  )}</ul>`;
}

function shortWay(leg: Leg, minutes: number, language: Language): Html {
  const mode = findLegMode(leg) ?? 'walk';
  return html`<span class="walked"><span class="visually-hidden">${tripsTexts[language].trip.ways[mode].name} </span>${waySign(mode)} ${minutes}′</span>`;
}

function waySign(mode: LegMode): Html {
  return html`<svg class="sign" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true"><path d="${legWays[mode].sign}"/></svg>`;
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
  return html`<ol class="legs">${views.map((view, i) => {
    const { leg, transfer } = view;
    const part =
      leg.mode === 'transit'
        ? ride(leg, isContinued(views, i), language)
        : way(view, { isFirst: i === 0, isLast: i === views.length - 1 }, language);
    return html`<li class="leg ${leg.mode}">${part}${transfer === null ? nothing : transferLine(transfer, language)}</li>`;
  })}</ol>`;
}

function ride(leg: Leg, continues: boolean, language: Language): Html {
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
${cancellation.note === undefined ? nothing : html`<p class="note">${cancellation.note}</p>`}
${legNotes(leg, language)}${calls}${link}</div>
${continues ? nothing : call(destination, 'arrival', language)}</div>`;
}

function call(stop: LegStop, event: 'arrival' | 'departure', language: Language): Html {
  const { name, cancellation } = stop;
  const isCancelled = cancellation.fullyCancelled;
  const note = html`<strong class="cancelled">${tripsTexts[language].trip.callCancelled}</strong>`;
  return html`<p class="call"${isCancelled ? html` data-cancelled="true"` : nothing}>${tripTime(stop[event], language)}<bdi class="stop-name">${name}</bdi><span class="at">${platform(stop.platform, language)}</span>${isCancelled ? note : nothing}</p>`;
}

function legNotes(leg: Leg, language: Language): readonly Html[] {
  const link = findLegLink(leg, language);
  const notes = listLegNotes(leg, language).map((note) => html`<p class="note">${note}</p>`);
  if (link === null) return notes;
  return [...notes, html`<p class="note"><a href="${link.address}" rel="noopener noreferrer">${link.text}</a></p>`];
}

/** @param position start or end of a trip that begins or ends without a ride, at a place that is not a stop */
function way(
  view: LegView,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
  language: Language,
): Html {
  const { leg } = view;
  const { mode, origin, destination } = leg;
  const texts = tripsTexts[language].trip;
  if (mode === 'wait') return html`<p class="way">${texts.wait(view.minutes)}</p>`;
  const target = mode === 'transfer' ? nothing : html` <bdi>${texts.walkTo(destination.name)}</bdi>`;
  const straight = isStraightWay(leg) ? html` <span class="hint">(${texts.straight})</span>` : nothing;
  return html`${isFirst ? call(origin, 'departure', language) : nothing}<div class="way"><p>${waySign(findLegMode(leg) ?? 'walk')} ${describeWay(view, language)}${target}${straight}</p>${legNotes(leg, language)}</div>${
    isLast ? call(destination, 'arrival', language) : nothing
  }`;
}
