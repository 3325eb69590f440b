import type { StopList } from '../../contract/v2-board.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import type { Page, PageRequest } from '../shell/page.ts';
import { findAnswer, findProblem } from '../shell/page-answers.ts';
import { boardTexts } from '../texts/boards.ts';
import { describeFailure } from '../texts/failures.ts';
import { stopListPath } from '../view-model/stop-list-path.ts';
import { linkPunctuality } from './punctuality-pages.ts';
import { listBoardData, serverBoard } from './server-board.ts';
import { searchForm } from './start.ts';

/** The stop search, or the board of a stop. */
export const stopsPage: Page = {
  paths: ['/stops', '/stops/:id'],
  script: 'stops',
  tab: 'board',
  menu: (language) => boardTexts[language].menu,
  summary: (language) => boardTexts[language].summary,
  isFound: ({ params, facts }) => params.id === undefined || facts.findStopName(params.id) !== null,
  title: (request) => findStopName(request) ?? boardTexts[request.language].title,
  listData: (request) => {
    if (request.params.id !== undefined) return listBoardData(request);
    return [stopListPath(request.query)].filter((path) => path !== null);
  },
  main(request) {
    const name = findStopName(request);
    const isStop = request.params.id !== undefined && request.facts.findStopName(request.params.id) !== null;
    return html`<h1>${name === null ? boardTexts[request.language].title : html`<bdi>${name}</bdi>`}</h1>
<div id="board" data-stop="${isStop ? request.params.id! : ''}">${isStop ? serverBoard(request) : serverFinder(request)}</div>
${isStop ? linkPunctuality(`/punctuality/stops/${encodeURIComponent(request.params.id!)}`, request.language) : nothing}`;
  },
};

/** Name of the stop in the URL; null if the URL has none. */
function findStopName({ params, facts, language }: PageRequest): string | null {
  if (params.id === undefined) return null;
  return facts.findStopName(params.id) ?? boardTexts[language].unknownStop;
}

/** The search, and what it found. */
function serverFinder({ query, answers, language }: PageRequest): Html {
  const texts = boardTexts[language];
  const path = stopListPath(query);
  const text = query.get('query');
  const stops = findAnswer<StopList>(answers, path)?.stops ?? [];
  const problem = findProblem(answers, path);
  const note = problem === null ? (path === null ? '' : text === null ? texts.noneNearby : texts.noResults) : '';
  const form = html`<div class="stop-finder">${searchForm(texts.search, language, text ?? '')}</div>`;
  if (stops.length === 0) {
    return html`${form}<p class="note">${problem === null ? note : describeFailure(problem, language)}</p>`;
  }
  return html`${form}<p class="note"></p>
<section><h2>${text === null ? texts.nearbyResults : texts.results(text)}</h2><ul class="examples">
${stops.map(
  ({ id, name, distanceMeters }) =>
    html`<li><a href="/stops/${encodeURIComponent(id)}"><bdi>${name}</bdi>${
      distanceMeters === undefined ? nothing : html`<span class="note">${texts.meters(distanceMeters)}</span>`
    }</a></li>`,
)}
</ul></section>`;
}
