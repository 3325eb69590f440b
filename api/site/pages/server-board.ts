import type { Line } from '../../contract/v2-basics.ts';
import type { ArrivalBoard, Board, StopInfo } from '../../contract/v2-board.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import type { PageRequest } from '../shell/page.ts';
import { findAnswer, findProblem } from '../shell/page-answers.ts';
import { boardTexts } from '../texts/boards.ts';
import { describeFailure } from '../texts/failures.ts';
import type { Language } from '../texts/languages.ts';
import { type BoardRow, filterRows, listPlaces, listRows, listSelectable } from '../view-model/board-rows.ts';
import { type BoardState, boardPath, isFiltered, readBoardState, stopInfoPath } from '../view-model/board-state.ts';
import { describeCountdown, describeEmptyBoard } from '../view-model/board-words.ts';
import { clockOf, showBoardTime } from '../view-model/shown-time.ts';
import { chooseBadge, findTripNumber } from '../view-model/trip-number.ts';
import { lineBadge, productIcon } from './server-badge.ts';
import { callTime, delay, platform } from './server-times.ts';

/** Paths of the data of a board. */
export function listBoardData({ params, query }: PageRequest): readonly string[] {
  return [boardPath(params.id!, readBoardState(query)), stopInfoPath(params.id!)];
}

/** A board at the time of the request. It works without a script: its controls are links and forms. */
export function serverBoard({ params, query, answers, language }: PageRequest): Html {
  const texts = boardTexts[language];
  const state = readBoardState(query);
  const path = boardPath(params.id!, state);
  const board = findAnswer<Board | ArrivalBoard>(answers, path);
  if (board === null) {
    const problem = findProblem(answers, path);
    return html`${controls(state, language)}
${problem === null ? nothing : html`<p class="card">${describeFailure(problem, language)}</p>`}`;
  }
  const all = listRows(board);
  const rows = filterRows(all, state.filter);
  const info = findAnswer<StopInfo>(answers, stopInfoPath(params.id!));
  const clock = board.generatedAt === undefined ? '' : texts.asOfOnce(clockOf(board.generatedAt));
  return html`${controls(state, language)}
<p class="freshness">${clock} <noscript><a href="?${query.toString()}">${texts.reload}</a></noscript></p>
${info === null ? nothing : filters(info.lines, listPlaces(all, state.filter.line), state, language)}
${rows.length === 0 ? empty(state, language) : boardRows(rows, { stopId: params.id!, now: Date.parse(board.generatedAt ?? ''), language })}`;
}

/** The rows alone; empty if the data is missing. */
export function serverBoardRows({ params, query, answers, language }: PageRequest): Html {
  const state = readBoardState(query);
  const board = findAnswer<Board | ArrivalBoard>(answers, boardPath(params.id!, state));
  if (board === null) return nothing;
  const rows = filterRows(listRows(board), state.filter);
  return boardRows(rows, { stopId: params.id!, now: Date.parse(board.generatedAt ?? ''), language });
}

/** Address of the same board with another state. */
function boardAddress({ isArrivals, time, filter }: Omit<BoardState, 'isGrouped' | 'rowCount'>): string {
  const query = new URLSearchParams();
  if (isArrivals) query.set('show', 'arrivals');
  if (time !== null) query.set('time', time);
  if (filter.line !== null) query.set('line', filter.line);
  if (filter.place !== null) query.set('direction', filter.place);
  return `?${query}`;
}

/** Fields of a form that keep the rest of the state. */
function keptFields(state: BoardState, without: readonly string[]): readonly Html[] {
  return [...new URLSearchParams(boardAddress(state))].flatMap(([name, value]) =>
    without.includes(name) ? [] : [html`<input type="hidden" name="${name}" value="${value}">`],
  );
}

const noFilter = { line: null, place: null };

function controls(state: BoardState, language: Language): Html {
  const texts = boardTexts[language];
  const choice = (isArrivals: boolean, label: string) =>
    html`<a href="${boardAddress({ ...state, isArrivals, filter: noFilter })}"${state.isArrivals === isArrivals ? html` aria-current="page"` : nothing}>${label}</a>`;
  return html`<div class="board-controls"><div class="choices">${choice(false, texts.departures)}${choice(true, texts.arrivals)}</div>
<form class="board-time">${keptFields(state, ['time'])}<label><span>${texts.from}</span>
<input type="datetime-local" name="time" value="${state.time ?? ''}"></label><button>${texts.apply}</button></form></div>`;
}

function filters(lines: readonly Line[], places: readonly string[], state: BoardState, language: Language): Html {
  const { filter: texts, lines: linesLabel, apply } = boardTexts[language];
  const { line: chosen, place: chosenPlace } = state.filter;
  const link = (line: Line) => {
    const isChosen = line.label === chosen;
    const filter = { line: isChosen ? null : line.label, place: null };
    const current = isChosen ? html` aria-current="true"` : nothing;
    return html`<li><a href="${boardAddress({ ...state, filter })}"${current}>${lineBadge(line)}</a></li>`;
  };
  const option = (place: string) => html`<option${place === chosenPlace ? html` selected` : nothing}>${place}</option>`;
  return html`<div class="board-filters"><ul class="stop-lines" aria-label="${linesLabel}">${lines.map(link)}</ul>
<form>${keptFields(state, ['direction'])}<select name="direction" aria-label="${texts.direction}"><option value="">${texts.all}</option>${listSelectable(places, chosenPlace).map(option)}</select>
<noscript><button>${apply}</button></noscript></form></div>`;
}

function empty(state: BoardState, language: Language): Html {
  const { clear } = boardTexts[language].filter;
  const link = html`<a class="button" href="${boardAddress({ ...state, filter: noFilter })}">${clear}</a>`;
  return html`<div class="card empty"><p>${describeEmptyBoard(state, language)}</p>${isFiltered(state.filter) ? link : nothing}</div>`;
}

interface RowContext {
  readonly stopId: string;
  /** Time of the board in milliseconds. */
  readonly now: number;
  readonly language: Language;
}

function boardRows(rows: readonly BoardRow[], context: RowContext): Html {
  const item = (row: BoardRow) => {
    const content = rowContent(row, context);
    const address = `/journeys/${encodeURIComponent(row.journeyRef ?? '')}?stop=${encodeURIComponent(context.stopId)}`;
    return html`<li data-cancelled="${String(row.cancelled)}">${
      row.journeyRef === undefined
        ? html`<div class="row">${content}</div>`
        : html`<a class="row" href="${address}">${content}</a>`
    }</li>`;
  };
  return html`<ol class="board">${rows.map(item)}</ol>`;
}

function rowContent(row: BoardRow, { now, language }: RowContext): Html {
  const texts = boardTexts[language];
  const { line, place, cancelled, notices, serviceKind } = row;
  const time = showBoardTime(row.time, line.product);
  const { badge, rest } = chooseBadge(line.label, findTripNumber(row.attributes));
  return html`<span class="what">${productIcon(line, language)}${lineBadge(line, badge)}</span>
<span class="place"><bdi>${place}</bdi>${notices.map(({ title }) => html`<span class="row-notice" title="${title}"><span class="visually-hidden">${title}</span></span>`)}</span>
<span class="where">${rest === null ? nothing : html`<bdi>${texts.tripNumber(rest)}</bdi>`}${
    serviceKind === undefined ? nothing : html`<span class="state">${texts[serviceKind]}</span>`
  }${cancelled ? html`<span class="state" data-state="bad">${texts.cancelled}</span>` : platform(row.platform, language)}</span>
<span class="when">${time === null ? nothing : callTime(time, language, cancelled)}${
    time === null || cancelled
      ? nothing
      : html`<span class="countdown">${delay(time.delayMinutes, language)} ${describeCountdown(time.at, now, language)}</span>`
  }</span>`;
}
