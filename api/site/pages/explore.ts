import type { ExploreAnswer } from '../../contract/site-explore.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import type { Page, PageRequest } from '../shell/page.ts';
import { findAnswer, findProblem, findProblemDetail } from '../shell/page-answers.ts';
import { exploreTexts } from '../texts/explore.ts';
import { describeFailure } from '../texts/failures.ts';
import type { Language } from '../texts/languages.ts';
import { toDataPath } from '../view-model/data-path.ts';
import {
  EXPLORE_DATA,
  EXPLORE_SECONDS,
  MAX_FILE_ROWS,
  MAX_SHOWN_ROWS,
  MAX_SQL_CHARACTERS,
} from '../view-model/explore-limits.ts';
import { describeQueryFailure } from '../view-model/query-failure.ts';

/** Example queries. */
const samples = {
  lines: `select line, operator, sum(on_time) / sum(observed) as on_time_share, sum(observed) as observed
from marts.line_daily
where source = '*' and evidence = 'observed_actual' and service_date >= current_date - 30
group by all
having sum(observed) >= 100
order by on_time_share desc
limit 50`,
  hours: `select hour, sum(on_time) / sum(observed) as on_time_share, sum(observed) as observed
from marts.network_hourly
where source = '*' and evidence = 'observed_actual' and service_date >= current_date - 30
group by all
order by hour`,
  transfers: `select station_name, from_line, to_line, sum(missed) as missed, sum(observed) as observed
from marts.connections_daily
where service_date >= current_date - 30
group by all
having sum(observed) >= 20
order by sum(missed) / sum(observed) desc
limit 50`,
  stops: 'select stop_id, stop_name, stop_lat, stop_lon from gtfs.stops limit 100',
} as const;
type SampleName = keyof typeof samples;

/** Read-only SQL on the lake, if the service offers it. */
export const explorePage: Page = {
  paths: ['/explore'],
  script: 'explore',
  title: ({ language }) => exploreTexts[language].title,
  listData: (request) => [dataPath(request)],
  main: renderExplore,
};

function readSql(query: URLSearchParams): string {
  return (query.get('sql') ?? '').trim().slice(0, MAX_SQL_CHARACTERS);
}

function dataPath({ query }: PageRequest, format?: string): string {
  const sql = readSql(query);
  const parameters = new URLSearchParams(sql === '' ? {} : { sql });
  if (format !== undefined) parameters.set('format', format);
  return toDataPath(EXPLORE_DATA, parameters);
}

function renderExplore(request: PageRequest): Html {
  const { language, query, answers } = request;
  const texts = exploreTexts[language];
  const path = dataPath(request);
  const count = new Intl.NumberFormat(language);
  const answer = findAnswer<ExploreAnswer>(answers, path);
  const sql = readSql(query);
  return html`<h1>${texts.title}</h1>
<p>${texts.intro}</p>
<form class="explore" action="/explore"><label for="sql">${texts.sql}</label>
<textarea id="sql" name="sql" rows="8" maxlength="${MAX_SQL_CHARACTERS}" spellcheck="false" autocapitalize="off" required>${sql === '' ? samples.lines : sql}</textarea>
<button class="primary" type="submit">${texts.run}</button></form>
<p class="note">${texts.limits(EXPLORE_SECONDS, count.format(MAX_SHOWN_ROWS), count.format(MAX_FILE_ROWS))}</p>
${sql === '' ? nothing : answer === null ? failure(request, path) : result(request, answer)}
<h2>${texts.examples}</h2>
<ul class="chips">${(Object.keys(samples) as SampleName[]).map(
    (name) =>
      html`<li><a href="/explore?${new URLSearchParams({ sql: samples[name] }).toString()}">${texts.samples[name]}</a></li>`,
  )}</ul>
${answer === null ? nothing : listTables(answer, language)}`;
}

/** Unlike other pages, this one also shows the text of the problem: it is about the statement that the user typed. */
function failure({ language, answers }: PageRequest, path: string): Html {
  const problem = findProblem(answers, path) ?? '';
  if (problem !== 'invalid_parameter')
    return html`<p class="failure" role="alert">${describeFailure(problem, language)}</p>`;
  const texts = exploreTexts[language];
  const detail = findProblemDetail(answers, path) ?? '';
  return html`<div class="failure" role="alert"><p>${describeQueryFailure(detail, language)} <a href="/explore#tables">${texts.allTables}</a></p>
<details open><summary>${texts.engine}</summary><pre lang="en"><code>${detail}</code></pre></details></div>`;
}

function result(request: PageRequest, { columns, rows, isCut }: ExploreAnswer): Html {
  const { language } = request;
  const texts = exploreTexts[language];
  const shown = new Intl.NumberFormat(language).format(rows.length);
  const files = (['csv', 'json', 'parquet'] as const).map(
    (format) => html`<a href="${dataPath(request, format)}" download="query.${format}">${format.toUpperCase()}</a>`,
  );
  return html`<h2 id="result">${texts.result}</h2>
<p>${rows.length === 0 ? texts.noRows : isCut ? texts.cut(shown) : texts.rows(shown)}</p>
${
  rows.length === 0
    ? nothing
    : html`<div class="result" role="region" aria-label="${texts.scroll}" tabindex="0"><table aria-labelledby="result">
<thead><tr>${columns.map(({ name, isNumeric }) => html`<th scope="col"${mark(isNumeric)}>${name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((value, i) => html`<td${mark(columns[i]!.isNumeric)}>${write(value)}</td>`)}</tr>`)}</tbody></table></div>`
}
<p class="files">${texts.download} ${files}</p>`;
}

function mark(isNumeric: boolean): Html {
  return isNumeric ? html` class="number"` : nothing;
}

/** Decimal places shown on the page; files have all of them. */
const SHOWN_DIGITS = 4;

function write(value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'number' && !Number.isInteger(value)) return String(Number(value.toFixed(SHOWN_DIGITS)));
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function listTables({ tables }: ExploreAnswer, language: Language): Html {
  return html`<h2 id="tables">${exploreTexts[language].tables}</h2>
${tables.map(({ name, columns }) => html`<details class="explore-table"><summary><code>${name}</code></summary><p><code>${columns.join(', ')}</code></p></details>`)}`;
}
