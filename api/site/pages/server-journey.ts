import type { SiteJourney } from '../../contract/site-boards.ts';
import type { JourneyStop } from '../../contract/v2-board.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import type { PageRequest } from '../shell/page.ts';
import { findAnswer, findProblem } from '../shell/page-answers.ts';
import { boardTexts } from '../texts/boards.ts';
import { describeFailure } from '../texts/failures.ts';
import type { Language } from '../texts/languages.ts';
import { describeCancellation } from '../view-model/board-words.ts';
import { listCallTimes } from '../view-model/shown-time.ts';
import { lineBadge } from './server-badge.ts';
import { callTime, delay, platform } from './server-times.ts';

/** Path of the data of a journey. */
export function journeyDataPath({ params }: PageRequest): string {
  return `/site/data/journeys/${encodeURIComponent(params.ref ?? '')}`;
}

/** A journey at the time of the request, without updates. */
export function serverJourney(request: PageRequest): Html {
  const { answers, language } = request;
  const texts = boardTexts[language].journey;
  const path = journeyDataPath(request);
  const answer = findAnswer<SiteJourney>(answers, path);
  if (answer === null) {
    const problem = findProblem(answers, path) ?? '';
    return html`<h1>${texts.title}</h1>
<div class="card empty"><p>${describeFailure(problem, language)}</p><a class="button" href="/stops">${texts.back}</a></div>`;
  }
  const { line, direction, stops } = answer.journey;
  return html`<h1 class="journey-name">${lineBadge(line)} <span>${texts.to('').trim()} <bdi>${direction}</bdi></span></h1>
<p class="vehicle-position">${describeCancellation(answer.journey, language)}</p>
<p class="freshness"></p>
<ol class="calls">${stops.map((stop) => call(stop, language))}</ol>`;
}

function call(stop: JourneyStop, language: Language): Html {
  const { id, name, platform: place, cancellation } = stop;
  const isCancelled = cancellation.fullyCancelled;
  const state = html`<span class="state" data-state="bad">${boardTexts[language].journey.callCancelled}</span>`;
  return html`<li class="call"><span class="call-times">${listCallTimes(stop).map(
    (time) =>
      html`<span>${callTime(time, language, isCancelled)}${isCancelled ? nothing : delay(time.delayMinutes, language)}</span>`,
  )}</span><span class="call-mark" aria-hidden="true"></span>
<span class="call-stop"><a href="/stops/${encodeURIComponent(id)}"><bdi>${name}</bdi></a>${isCancelled ? state : nothing}</span>
<span class="call-platform">${isCancelled ? nothing : platform(place, language)}</span></li>`;
}
