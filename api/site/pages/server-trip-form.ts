import type { TripChoice } from '../../contract/trip-outlook.ts';
import type { StopInfo, StopList } from '../../contract/v2-board.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import type { PageRequest } from '../shell/page.ts';
import { findAnswer, findProblem, type PageAnswers } from '../shell/page-answers.ts';
import { describeFailure } from '../texts/failures.ts';
import type { Language } from '../texts/languages.ts';
import { stopSearchTexts } from '../texts/stop-search.ts';
import { tripsTexts } from '../texts/trips.ts';
import { toDataPath } from '../view-model/data-path.ts';
import { listOffered, type TripMode } from '../view-model/trip-modes.ts';
import { tripsPath } from '../view-model/trip-paths.ts';
import { describeEnd, readCoordinate } from '../view-model/trip-words.ts';
import {
  type EndName,
  endNames,
  readEnd,
  readState,
  type TripEnd,
  type TripsState,
  tripsAddress,
  viaNames,
  type When,
} from '../view-model/trips-state.ts';

const isVia = (end: EndName): boolean => end !== 'from' && end !== 'to';

/** Name of an end that the form sent without a script, to be looked up; null: none, or its place is known. */
function findTypedName(query: URLSearchParams, end: EndName): string | null {
  return query.get(end) ? null : query.get(`${end}Name`)?.trim() || null;
}

/** On the way are stops only, since a trip does not lead past an address. */
function searchPath(end: EndName, name: string): string {
  const kinds = isVia(end) ? { kinds: 'station' } : {};
  return toDataPath('/site/data/stops', new URLSearchParams({ limit: '1', ...kinds, query: name }));
}

/** The place of a field text that ends with coordinates, which is how fields show a location; `null` for a name. */
function readPoint(end: EndName, name: string): TripEnd | null {
  if (isVia(end)) return null;
  const [, lat, lon] = /(-?\d+(?:\.\d+)?), ?(-?\d+(?:\.\d+)?)$/.exec(name) ?? [];
  return lat === undefined ? null : { place: `${lat},${lon}`, name: `${lat},${lon}` };
}

function infoPath(stopId: string): string {
  return `/site/data/stops/${encodeURIComponent(stopId)}/info`;
}

/** Id of a stop whose name the address lacks; null: none, or a coordinate, which has no name. */
function findNamelessStop(query: URLSearchParams, end: EndName): string | null {
  const place = query.get(end);
  return !place || query.get(`${end}Name`) || readCoordinate(place) ? null : place;
}

/** Paths of the searches for typed names, and of the stops whose names the address lacks. */
export function listNameSearches(query: URLSearchParams): readonly string[] {
  return endNames.flatMap((end) => {
    const stopId = findNamelessStop(query, end);
    if (stopId !== null) return [infoPath(stopId)];
    const name = findTypedName(query, end);
    return name === null || readPoint(end, name) ? [] : [searchPath(end, name)];
  });
}

/**
 * Address with the names of the stops in it, or with the places that were found for typed names; `null` if it is the
 * same, or if a typed name was not found.
 */
export function findTripsAddress({ query, answers }: PageRequest): string | null {
  const state: TripsState = readFormState(query);
  const named = new Map(
    endNames.map((end) => {
      const known = readEnd(query, end);
      return [end, known ? addName(query, answers, end, known) : findEnd(query, answers, end)];
    }),
  );
  const [from, to] = [named.get('from') ?? null, named.get('to') ?? null];
  const via = viaNames.flatMap((end) => named.get(end) ?? []);
  const typed = endNames.filter((end) => findTypedName(query, end) !== null);
  if (typed.length > 0) {
    const isFound = from && to && typed.every((end) => named.get(end));
    return isFound ? tripsAddress({ ...state, from, to, via }, new URLSearchParams()) : null;
  }
  const isNamed = JSON.stringify([from, to, via]) === JSON.stringify([state.from, state.to, state.via]);
  return isNamed ? null : tripsAddress({ ...state, from, to, via }, query);
}

/** An end with the name of its stop, if the address lacks it. */
function addName(query: URLSearchParams, answers: PageAnswers, end: EndName, known: TripEnd): TripEnd {
  const stopId = findNamelessStop(query, end);
  const name =
    stopId && (findAnswer<StopInfo>(answers, infoPath(stopId))?.stop.name ?? findTripName(query, answers, end));
  // The name stays out of the address if it is the id itself.
  return !name || name === known.place ? known : { place: known.place, name };
}

/** Name of an end in the trips; addresses and places have no other data. */
function findTripName(query: URLSearchParams, answers: PageAnswers, end: EndName): string | undefined {
  if (isVia(end)) return undefined;
  const legs = findAnswer<TripChoice>(answers, tripsPath(readState(query)))?.trips[0]?.legs;
  return end === 'from' ? legs?.[0]?.origin.name : legs?.at(-1)?.destination.name;
}

function findEnd(query: URLSearchParams, answers: PageAnswers, end: EndName): TripEnd | null {
  const name = findTypedName(query, end);
  if (name === null) return null;
  const stop = findAnswer<StopList>(answers, searchPath(end, name))?.stops[0];
  return readPoint(end, name) ?? (stop ? { place: stop.id, name: stop.name } : null);
}

/** Reads the state from the URL. Without a script, the form sends `time`, and in `when` the kind of that time. */
function readFormState(query: URLSearchParams): TripsState {
  const when = new URLSearchParams(query);
  const time = query.get('time');
  if (time) when.set(query.get('when') === 'arrival' ? 'arrival' : 'departure', time);
  return readState(when);
}

/** The search form, which works without a script: names are looked up when it is sent. */
export function serverTripForm(request: PageRequest, isOpen: boolean): Html {
  const { query, language } = request;
  const { form } = tripsTexts[language];
  const state = readFormState(query);
  return html`<form class="trip-search" action="/trips" aria-label="${form.label}"${isOpen ? nothing : html` data-collapsed="true"`}>
<a class="summary" href="${tripsAddress({ ...state, chosen: [] }, new URLSearchParams())}&amp;edit=true"><span class="what"><strong><bdi>${describeEnd(state.from, language)}</bdi> <span aria-hidden="true">→</span> <bdi>${describeEnd(state.to, language)}</bdi></strong>
<span class="note">${state.via.length > 0 ? `${tripsTexts[language].trip.via(state.via.map(({ name }) => name).join(', '))} · ` : ''}${state.when.kind === 'now' ? form.now : `${form[state.when.kind]} ${state.when.localTime.replace('T', ' ')}`}</span></span><span class="edit">${form.edit}</span></a>
<div class="ends">${endField(request, 'from', state.from)}${swapLink(state, language)}${endField(request, 'to', state.to)}</div>
${viaNames.map((end, i) => viaField(request, end, state.via[i] ?? null))}<div class="wishes">${whenFields(state.when, language)}
<label class="check"><input type="checkbox" name="wheelchair" value="true"${state.wheelchair ? html` checked` : nothing}>${form.wheelchair}</label>
${modeField(state.mode, request)}
<button class="primary" type="submit">${form.submit}</button></div>
<p class="missing" role="alert">${describeMissing(request)}</p>
</form>`;
}

function swapLink(state: TripsState, language: Language): Html {
  const { swap } = tripsTexts[language].form;
  if (state.from === null || state.to === null) return html`<span class="swap"></span>`;
  const swapped = {
    ...state,
    from: state.to,
    to: state.from,
    via: state.via.toReversed(),
    pageToken: null,
    chosen: [],
  };
  const address = tripsAddress(swapped, new URLSearchParams());
  return html`<a class="button swap" href="${address}" aria-label="${swap}" title="${swap}"><span aria-hidden="true">⇅</span></a>`;
}

function modeField(chosen: TripMode, { language, facts }: PageRequest): Html {
  const { form } = tripsTexts[language];
  const offered = listOffered(facts.tripModes, chosen);
  if (offered.length < 2) return nothing;
  return html`<label class="mode">${form.mode} <select name="mode">${offered.map(
    (mode) => html`<option value="${mode}"${mode === chosen ? html` selected` : nothing}>${form.modes[mode]}</option>`,
  )}</select></label>`;
}

/** With scripts, a button adds an empty field. */
function viaField(request: PageRequest, end: EndName, chosen: TripEnd | null): Html {
  const field = html`<div class="via">${endField(request, end, chosen)}</div>`;
  return chosen ? field : html`<noscript>${field}</noscript>`;
}

function endField({ query, language }: PageRequest, end: EndName, chosen: TripEnd | null): Html {
  const { placeholder, placePlaceholder } = stopSearchTexts[language];
  const name = describeEnd(chosen, language) || query.get(`${end}Name`) || '';
  return html`<div class="stop-search"><div class="label-row"><label for="trip-${end}">${tripsTexts[language].form[end]}</label></div>
<input id="trip-${end}" name="${end}Name"${isVia(end) ? nothing : html` required`} value="${name}" placeholder="${isVia(end) ? placeholder : placePlaceholder}"><p class="hint"></p></div>`;
}

function whenFields(when: When, language: Language): Html {
  const { form } = tripsTexts[language];
  const option = (kind: When['kind']) =>
    html`<option value="${kind}"${when.kind === kind ? html` selected` : nothing}>${form[kind]}</option>`;
  const time = when.kind === 'now' ? '' : when.localTime;
  return html`<noscript><select name="when" aria-label="${form.when}">${(['departure', 'arrival'] as const).map(option)}</select>
<input type="datetime-local" name="time" aria-label="${form.time}" value="${time}"></noscript>`;
}

/** Explains why typed names lead to no trips; empty if no name was typed. */
function describeMissing({ query, answers, language }: PageRequest): string {
  const { form } = tripsTexts[language];
  const typed = endNames.flatMap((end) => {
    const name = findTypedName(query, end);
    return name === null ? [] : [{ end, name }];
  });
  for (const { end, name } of typed) {
    const problem = findProblem(answers, searchPath(end, name));
    if (problem !== null) return describeFailure(problem, language);
  }
  const lost = typed.find(({ end }) => findEnd(query, answers, end) === null);
  if (lost !== undefined) return form.notFound(lost.name);
  return typed.length > 0 ? form.missing : '';
}
