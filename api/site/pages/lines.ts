import type {
  FoundLine,
  FoundTrain,
  LineDirection,
  LineList,
  LineOverview,
  LineTimetable,
  ProductLines,
} from '../../contract/site-lines.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import type { Page, PageRequest } from '../shell/page.ts';
import { findAnswer, findProblem, type PageAnswers } from '../shell/page-answers.ts';
import { describeFailure } from '../texts/failures.ts';
import type { Language } from '../texts/languages.ts';
import { lineTexts } from '../texts/lines.ts';
import { formatDay } from '../view-model/formats.ts';
import {
  dayParts,
  endOfPart,
  hoursValue,
  LAST_HOUR,
  lineAddress,
  lineDataPath,
  lineListPath,
  lineOverviewPath,
} from '../view-model/line-state.ts';
import { groupedProducts } from '../view-model/product-groups.ts';
import { productPaths } from '../view-model/product-paths.ts';
import { lineBadge, productIcon } from './server-badge.ts';
import { linkTripRecord } from './trip-record.ts';

/** Search for lines and train numbers. */
export const linesPage: Page = {
  paths: ['/lines'],
  script: 'lines',
  menu: (language) => lineTexts[language].menu,
  summary: (language) => lineTexts[language].summary,
  title: ({ language }) => lineTexts[language].title,
  listData: ({ query }) => [lineListPath(query) ?? lineOverviewPath],
  main: (request) => html`<h1>${lineTexts[request.language].title}</h1>
${searchForm(request)}
${results(request)}`,
};

/** The timetable of a line on one day. */
export const linePage: Page = {
  paths: ['/lines/:id'],
  script: 'lines',
  listData: ({ params, query }) => [lineDataPath(params.id ?? '', query)],
  isFound: (request) => findProblem(request.answers, dataPath(request)) !== 'invalid_parameter',
  title: (request) => {
    const label = findTimetable(request)?.line.label;
    return label === undefined ? lineTexts[request.language].title : lineTexts[request.language].timetable(label);
  },
  main: renderLine,
};

function dataPath({ params, query }: PageRequest): string {
  return lineDataPath(params.id ?? '', query);
}

function findTimetable(request: PageRequest): LineTimetable | null {
  return findAnswer<LineTimetable>(request.answers, dataPath(request));
}

// ---- Search --------------------------------------------------------------------------------------

function searchForm({ language, query }: PageRequest): Html {
  const texts = lineTexts[language];
  return html`<form class="line-search" action="/lines" role="search"><label for="line-query">${texts.field}</label>
<input id="line-query" name="query" required maxlength="100" value="${query.get('query') ?? ''}" placeholder="${texts.placeholder}" autocomplete="off">
<button class="primary" type="submit">${texts.submit}</button></form>`;
}

function results({ query, answers, language }: PageRequest): Html {
  const texts = lineTexts[language];
  const path = lineListPath(query);
  if (path === null) return overview(answers, language);
  const found = findAnswer<LineList>(answers, path);
  if (found === null)
    return html`<p class="failure">${describeFailure(findProblem(answers, path) ?? '', language)}</p>`;
  const { lines, trains } = found;
  if (lines.length + trains.length === 0) return html`<p>${texts.none(query.get('query')!.trim())}</p>`;
  return html`${lines.length === 0 ? nothing : html`<h2>${texts.lines}</h2><ul class="examples">${lines.map((one) => lineRow(one, language))}</ul>`}
${trains.length === 0 ? nothing : html`<h2>${texts.trains}</h2><ul class="examples">${trains.map((one) => trainRow(one, language))}</ul>${[...new Set(trains.map(({ number }) => number))].map((number) => linkTripRecord(number, language))}`}`;
}

/** The lines of each product, until a name is searched. */
function overview(answers: PageAnswers, language: Language): Html {
  const found = findAnswer<LineOverview>(answers, lineOverviewPath);
  if (found === null) return nothing;
  const order = (one: ProductLines) => groupedProducts.indexOf(one.product);
  const groups = [...found.products].sort((a, b) => order(a) - order(b));
  return html`<div class="line-overview">${groups.map((group) => productSection(group, language))}</div>`;
}

function productSection({ product, count, lines }: ProductLines, language: Language): Html {
  const texts = lineTexts[language];
  const labels = lines.map(({ line }) => line.label);
  const chip = ({ id, line }: FoundLine) => {
    const operator = line.operatorName ?? '';
    // Towns have lines of the same label.
    const isAlone = operator === '' || labels.indexOf(line.label) === labels.lastIndexOf(line.label);
    return html`<li><a href="${lineAddress(id)}" title="${operator}">${lineBadge(line)}${isAlone ? nothing : html` <bdi class="note">${operator}</bdi>`}</a></li>`;
  };
  return html`<section><h2><svg class="product-icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><path d="${productPaths[product]}"/></svg>${texts.byProduct[product]}</h2><ul>${lines.map(chip)}</ul>
${count > lines.length ? html`<p class="note">${texts.left(count - lines.length)}</p>` : nothing}</section>`;
}

function lineRow({ id, line }: FoundLine, language: Language): Html {
  const about = [line.name === line.label ? '' : line.name, line.operatorName ?? ''].filter((text) => text !== '');
  return html`<li><a href="${lineAddress(id)}"><span>${productIcon(line, language)} ${lineBadge(line)}</span>
<span class="note"><bdi>${about.join(' · ')}</bdi></span></a></li>`;
}

function trainRow(train: FoundTrain, language: Language): Html {
  const texts = lineTexts[language];
  const { number, line, from, to, departure, arrival, date, journeyRef } = train;
  const way = html`<span>${productIcon(line, language)} ${lineBadge(line, number)}
<bdi>${from}</bdi> ${departure} <span aria-hidden="true">→</span> <bdi>${to}</bdi> ${arrival}</span>`;
  if (journeyRef === undefined || date === undefined) {
    return html`<li><div>${way}<span class="note">${texts.noneAhead}</span></div></li>`;
  }
  return html`<li><a href="/journeys/${encodeURIComponent(journeyRef)}">${way}<span class="note">${texts.next(formatDay(date, language))}</span></a></li>`;
}

// ---- Timetable of a line ---------------------------------------------------------------------------

function renderLine(request: PageRequest): Html {
  const { language, answers } = request;
  const texts = lineTexts[language];
  const data = findTimetable(request);
  if (data === null) {
    const problem = findProblem(answers, dataPath(request));
    const reason = problem === 'invalid_parameter' ? texts.lost : describeFailure(problem ?? '', language);
    return html`<h1>${texts.title}</h1><p class="failure">${reason}</p>${searchForm(request)}`;
  }
  const { line, date, directions } = data;
  return html`<h1>${productIcon(line, language)} ${lineBadge(line)} <span class="visually-hidden">${texts.timetable(line.label)}</span></h1>
<p class="note">${formatDay(date, language)}. ${texts.planned} <a href="/punctuality/lines/${encodeURIComponent(line.label)}">${texts.punctuality}</a></p>
${periodForm(data, language)}
${directions.length === 0 ? html`<p>${texts.empty}</p>` : directions.map((direction, i) => renderDirection(direction, i, language))}`;
}

function periodForm({ date, fromHour, untilHour }: LineTimetable, language: Language): Html {
  const texts = lineTexts[language];
  const chosen = hoursValue(fromHour, untilHour);
  const option = (value: string, text: string) =>
    html`<option value="${value}"${value === chosen ? html` selected` : nothing}>${text}</option>`;
  return html`<form class="line-period"><label>${texts.day} <input type="date" name="date" value="${date}" required></label>
<label>${texts.hours} <select name="hours">${dayParts.map((hour) => option(String(hour), texts.between(hour, endOfPart(hour))))}
${option(hoursValue(0, LAST_HOUR), texts.wholeDay)}</select></label>
<button type="submit">${texts.show}</button></form>`;
}

/** The region scrolls, so it must be focusable by keyboard. */
function renderDirection({ from, to, stops, runs, isCut }: LineDirection, i: number, language: Language): Html {
  const texts = lineTexts[language];
  const name = `${from} → ${to}`;
  const hasNumbers = runs.some(({ number }) => number !== undefined);
  return html`<section><h2 id="direction-${i}"><bdi>${from}</bdi> <span aria-hidden="true">→</span> <bdi>${to}</bdi></h2>
<div class="line-grid" role="region" aria-label="${texts.scroll(name)}" tabindex="0"><table aria-labelledby="direction-${i}">
<thead><tr><th scope="col">${texts.stop}</th>${runs.map(
    ({ journeyRef, number, times }) =>
      html`<th scope="col"><a href="/journeys/${encodeURIComponent(journeyRef)}">${hasNumbers ? html`<bdi>${number ?? '–'}</bdi>` : html`<span class="visually-hidden">${texts.run} ${times.find((time) => time !== null) ?? ''}</span><span aria-hidden="true">◦</span>`}</a></th>`,
  )}</tr></thead>
<tbody>${stops.map(
    (stop, row) =>
      html`<tr><th scope="row"><a href="/stops/${encodeURIComponent(stop.id)}"><bdi>${stop.name}</bdi></a></th>${runs.map(({ times }) => cell(times[row] ?? null, texts.passes))}</tr>`,
  )}</tbody></table></div>
${isCut ? html`<p class="note">${texts.cut}</p>` : nothing}</section>`;
}

function cell(time: string | null, passes: string): Html {
  if (time !== null) return html`<td>${time}</td>`;
  return html`<td><span aria-hidden="true">·</span><span class="visually-hidden">${passes}</span></td>`;
}

/** Link to the timetable of a line. */
export function linkLine(lineId: string, label: string, language: Language): Html {
  return html`<p><a href="${lineAddress(lineId)}">${lineTexts[language].link(label)}</a></p>`;
}
