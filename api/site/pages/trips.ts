import type { FollowedTrip } from '../../contract/trip-outlook.ts';
import { html } from '../shell/html.ts';
import type { Page, PageRequest } from '../shell/page.ts';
import { findAnswer } from '../shell/page-answers.ts';
import { tripsTexts } from '../texts/trips.ts';
import { followedTripPath } from '../view-model/trip-paths.ts';
import { describeTripTitle } from '../view-model/trip-title.ts';
import { describeEnd } from '../view-model/trip-words.ts';
import { readState } from '../view-model/trips-state.ts';
import { findTripsAddress } from './server-trip-form.ts';
import { listTripData, serverTrips } from './server-trips.ts';

/** The title of a chosen trip has its ends and departure; printouts and previews of shared links use it. */
function titleOf({ language, query, answers }: PageRequest): string {
  const state = readState(query);
  const chosen = findAnswer<FollowedTrip>(answers, followedTripPath(state));
  if (chosen !== null) return describeTripTitle(chosen.trip);
  const { from, to } = state;
  if (from === null || to === null) return tripsTexts[language].title;
  return `${describeEnd(from, language)} → ${describeEnd(to, language)}`;
}

/** Trips from one place to another: search, map, live updates and rescue options. */
export const tripsPage: Page = {
  paths: ['/trips'],
  script: 'trips',
  tab: 'trips',
  menu: (language) => tripsTexts[language].menu,
  summary: (language) => tripsTexts[language].card,
  title: titleOf,
  listData: listTripData,
  findOtherAddress: findTripsAddress,
  main: (request) => html`<h1>${tripsTexts[request.language].title}</h1>
<div id="trips" data-modes="${request.facts.tripModes.join(' ')}" data-push-key="${request.facts.pushKey ?? ''}">${serverTrips(request)}</div>`,
};
