import { html } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import { boardTexts } from '../texts/boards.ts';
import { boardPath, readBoardState } from '../view-model/board-state.ts';
import { serverBoardRows } from './server-board.ts';

/** The departures of a stop in full screen, for a screen on a wall. */
export const wallPage: Page = {
  paths: ['/stops/:id/wall'],
  script: 'wall',
  isBare: true,
  isFound: ({ params, facts }) => facts.findStopName(params.id ?? '') !== null,
  title: ({ params, facts, language }) => facts.findStopName(params.id ?? '') ?? boardTexts[language].unknownStop,
  listData: ({ params, query }) => [boardPath(params.id ?? '', readBoardState(query))],
  main: (request) => {
    const { params, facts, language } = request;
    const name = facts.findStopName(params.id ?? '');
    const heading = name === null ? boardTexts[language].unknownStop : html`<bdi>${name}</bdi>`;
    return html`<h1>${heading}</h1>
<div id="wall" data-stop="${params.id ?? ''}">${name === null ? html`<p><a href="/stops">${boardTexts[language].search}</a></p>` : serverBoardRows(request)}</div>`;
  },
};
