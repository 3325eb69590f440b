import type { SiteJourney } from '../../contract/site-boards.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import type { Page, PageRequest } from '../shell/page.ts';
import { findAnswer, findProblem } from '../shell/page-answers.ts';
import { boardTexts } from '../texts/boards.ts';
import { findTripNumber } from '../view-model/trip-number.ts';
import { linkLine as linkTimetable } from './lines.ts';
import { linkPunctuality } from './punctuality-pages.ts';
import { journeyDataPath, serverJourney } from './server-journey.ts';
import { linkTripRecord } from './trip-record.ts';

/** Codes of problems that mean that there is no such journey. */
const LOST = ['unknown_journey', 'journey_expired'];

/** One dated trip: its calls, the position of the vehicle, and predictions. */
export const journeysPage: Page = {
  paths: ['/journeys/:ref'],
  script: 'journey',
  title: ({ language }) => boardTexts[language].journey.title,
  listData: (request) => [journeyDataPath(request)],
  isFound: (request) => !LOST.includes(findProblem(request.answers, journeyDataPath(request)) ?? ''),
  main: (request) => html`<div id="journey" data-ref="${refOf(request)}">${serverJourney(request)}</div>
${linkLine(request)}`,
};

function linkLine(request: PageRequest): Html {
  const answer = findAnswer<SiteJourney>(request.answers, journeyDataPath(request));
  const label = answer?.journey.line.label ?? '';
  const lineId = answer?.journey.line.lineId;
  const number = findTripNumber(answer?.journey.attributes ?? []);
  if (label === '') return nothing;
  return html`${number === null ? nothing : linkTripRecord(number, request.language)}
${lineId === undefined ? nothing : linkTimetable(lineId, label, request.language)}
${linkPunctuality(`/punctuality/lines/${encodeURIComponent(label)}`, request.language)}`;
}

function refOf({ params }: PageRequest): string {
  return params.ref ?? '';
}
