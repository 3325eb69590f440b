import { html } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import { tripsTexts } from '../texts/trips.ts';
import { findTripsAddress } from './server-trip-form.ts';
import { listTripData, serverTrips } from './server-trips.ts';

/** Trips from one place to another: search, map, live updates and rescue options. */
export const tripsPage: Page = {
  paths: ['/trips'],
  script: 'trips',
  tab: 'trips',
  menu: (language) => tripsTexts[language].menu,
  summary: (language) => tripsTexts[language].card,
  title: ({ language }) => tripsTexts[language].title,
  listData: listTripData,
  findOtherAddress: findTripsAddress,
  main: (request) => html`<h1>${tripsTexts[request.language].title}</h1>
<div id="trips" data-modes="${request.facts.tripModes.join(' ')}">${serverTrips(request)}</div>`,
};
