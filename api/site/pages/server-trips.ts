import { listLegRefs } from '../../contract/leg-refs.ts';
import type { FollowedTrip, TransferOutlook, TripChoice } from '../../contract/trip-outlook.ts';
import type { Trip } from '../../contract/v2-trip.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import type { PageRequest } from '../shell/page.ts';
import { findAnswer, findProblem } from '../shell/page-answers.ts';
import { describeFailure } from '../texts/failures.ts';
import type { Language } from '../texts/languages.ts';
import { tripsTexts } from '../texts/trips.ts';
import { formatDay, formatPrice } from '../view-model/formats.ts';
import { listLegItems } from '../view-model/leg-items.ts';
import { markTrips, type TripMark } from '../view-model/trip-marks.ts';
import { followedTripPath, tripsPath } from '../view-model/trip-paths.ts';
import { dateOf, daysBetween } from '../view-model/trip-times.ts';
import { describeVia } from '../view-model/trip-via.ts';
import {
  countTripMinutes,
  hasUnknownAccess,
  isBroken,
  listTransfers,
  startsDay,
  sumFares,
  viewLegs,
} from '../view-model/trip-view.ts';
import { describeChanges, describeCount, describeDuration } from '../view-model/trip-words.ts';
import { readState, type TripsState, tripsAddress } from '../view-model/trips-state.ts';
import { rideSequence, serverLegs, transferLine } from './server-legs.ts';
import { tripTime } from './server-times.ts';
import { listNameSearches, serverTripForm } from './server-trip-form.ts';

/** Paths of the data of a state. */
export function listTripData({ query }: PageRequest): readonly string[] {
  const state = readState(query);
  const paths = [tripsPath(state), followedTripPath(state)].filter((path) => path !== null);
  return [...listNameSearches(query), ...paths];
}

/** Trips at the time of the request, without updates. */
export function serverTrips(request: PageRequest): Html {
  const { query, language } = request;
  const state = readState(query);
  const isRequested = state.from !== null && state.to !== null;
  const isChosen = isRequested && state.chosen.length > 0;
  const form = serverTripForm(request, !isRequested || query.has('edit'));
  if (!isRequested) return html`<div class="trips">${form}</div>`;
  return html`<div class="trips"${isChosen ? html` data-chosen="true"` : nothing}>${form}
<div class="found">${optionList(request, state)}${isChosen ? chosenTrip(request, state, language) : nothing}</div></div>`;
}

function optionList({ answers, language }: PageRequest, state: TripsState): Html {
  const { list } = tripsTexts[language];
  const path = tripsPath(state);
  const answer = findAnswer<TripChoice>(answers, path);
  const problem = path === null ? 'invalid_parameter' : findProblem(answers, path);
  if (answer === null) {
    return html`<section class="options"><p class="status-line">${problem === null ? '' : describeFailure(problem, language)}</p></section>`;
  }
  const { trips, outlooks, earlierRef, laterRef } = answer;
  const marks = markTrips(trips, outlooks);
  const pageLink = (pageToken: string | undefined, text: string) =>
    pageToken === undefined
      ? nothing
      : html`<a class="page-link" href="${addressOf({ ...state, pageToken, chosen: [] })}">${text}</a>`;
  return html`<section class="options" aria-label="${list.label}">
<p class="status-line">${describeCount(answer, language)}</p>
${pageLink(earlierRef, `↑ ${list.earlier}`)}
<ol>${trips.map((trip, i) => {
    const day = html`<li class="day"><h2>${formatDay(dateOf(trip.departure.scheduled!), language)}</h2></li>`;
    return html`${startsDay(trips, i) ? day : nothing}${option({ trip, outlooks: outlooks[i] ?? [], marks: marks[i] ?? [], state, language })}`;
  })}</ol>
${pageLink(laterRef, `↓ ${list.later}`)}
</section>`;
}

function addressOf(state: TripsState): string {
  return tripsAddress(state, new URLSearchParams());
}

interface Option {
  readonly trip: Trip;
  readonly outlooks: readonly TransferOutlook[];
  readonly marks: readonly TripMark[];
  readonly state: TripsState;
  readonly language: Language;
}

function option({ trip, outlooks, marks, state, language }: Option): Html {
  const texts = tripsTexts[language].trip;
  const views = viewLegs(trip, outlooks);
  const chosen = listLegRefs(trip);
  const isChosen = chosen.length > 0 && listLegItems(chosen) === listLegItems(state.chosen);
  const times = tripTimes(trip, language);
  return html`<li class="option"${isChosen ? html` data-chosen="true"` : nothing}>
<p class="times">${chosen.length === 0 ? html`<span>${times}</span>` : html`<a href="${addressOf({ ...state, chosen })}"${isChosen ? html` aria-current="true"` : nothing}>${times}</a>`}
<span class="duration">${describeDuration(countTripMinutes(trip), language)}</span></p>
${rideSequence(views, language)}
${viaLine(trip, state, language)}${marks.length === 0 ? nothing : html`<p class="marks">${marks.map((mark) => html`<span class="state" data-state="good">${texts.marks[mark]}</span>`)}</p>`}
<p class="facts"><span>${describeChanges(trip, language)}</span>${fare(trip, language)}</p>
${listTransfers(views).map((transfer) => transferLine(transfer, language))}
${hasUnknownAccess(trip) ? html`<p class="hint">${texts.unknownAccess}</p>` : nothing}
${isBroken(trip) ? html`<p class="broken">${texts.broken}</p>` : nothing}
${chosen.length > 0 ? nothing : html`<details class="whole"><summary>${texts.whole}</summary>${serverLegs(views, language)}</details>`}
</li>`;
}

function tripTimes({ departure, arrival }: Trip, language: Language): Html {
  const days = daysBetween(departure.scheduled!, arrival.scheduled!);
  const later = html` <span class="next-day">${tripsTexts[language].trip.nextDay(days)}</span>`;
  return html`${tripTime(departure, language)} <span aria-hidden="true">→</span> ${tripTime(arrival, language)}${days > 0 ? later : nothing}`;
}

function viaLine(trip: Trip, { via }: TripsState, language: Language): Html {
  const text = describeVia(trip, via, language);
  return text === '' ? nothing : html`<p class="via-line">${text}</p>`;
}

function fare(trip: Trip, language: Language): Html {
  const texts = tripsTexts[language].trip;
  const sum = sumFares(trip);
  if (sum) return html`<span title="${texts.fareNote}">${formatPrice(sum, language)}</span>`;
  const isRide = trip.legs.some(({ mode }) => mode === 'transit');
  return isRide ? html`<span class="unknown">${texts.fareUnknown}</span>` : nothing;
}

function chosenTrip({ answers }: PageRequest, state: TripsState, language: Language): Html {
  const texts = tripsTexts[language];
  const path = followedTripPath(state);
  const answer = findAnswer<FollowedTrip>(answers, path);
  const back = html`<a class="back" href="${addressOf({ ...state, chosen: [] })}">← ${texts.trip.back}</a>`;
  if (answer === null) {
    const problem = findProblem(answers, path);
    const failure = html`<p class="failure">${describeFailure(problem ?? '', language)}</p>`;
    return html`<section class="chosen" aria-label="${texts.trip.label}">${back}${problem === null ? nothing : failure}</section>`;
  }
  const { trip, outlooks, state: tripState, generatedAt } = answer;
  return html`<section class="chosen" aria-label="${texts.trip.label}">${back}
<h2>${trip.legs[0]!.origin.name} <span aria-hidden="true">→</span> ${trip.legs.at(-1)!.destination.name}</h2>
<div class="trip-head"><p class="day">${formatDay(dateOf(trip.departure.scheduled!), language)}</p>
<p class="times">${tripTimes(trip, language)}</p>
<p class="facts"><span>${describeDuration(countTripMinutes(trip), language)}</span><span>${describeChanges(trip, language)}</span>${fare(trip, language)}</p>${viaLine(trip, state, language)}</div>
<p class="trip-status"><span class="state">${texts.state[tripState]}</span></p>
<p class="follow"><span>${texts.follow.updated(generatedAt.slice(11, 19))}</span></p>
${serverLegs(viewLegs(trip, outlooks), language)}
</section>`;
}
