import type { PunctualityData, PunctualityLine } from '../../contract/site-charts.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import type { Page, PageRequest } from '../shell/page.ts';
import { findAnswer, findProblem } from '../shell/page-answers.ts';
import { describeFailure } from '../texts/failures.ts';
import type { Language } from '../texts/languages.ts';
import { plainPunctualityTexts } from '../texts/plain-punctuality.ts';
import { stationTexts } from '../texts/stations.ts';
import { toDataPath } from '../view-model/data-path.ts';
import { formatDate } from '../view-model/formats.ts';
import { describePunctuality } from '../view-model/plain-punctuality.ts';
import { drawDays } from './day-bars.ts';

/** A line or a stop whose punctuality is described in words. */
interface Subject {
  /** Query of the data routes and of the page with all charts. */
  readonly query: URLSearchParams;
  readonly name: string;
}

const dataPath = ({ query }: Subject) => toDataPath('/site/data/punctuality', query);
/** Path of the picture for other sites. */
const picturePath = ({ query }: Subject, { language }: PageRequest) =>
  `${toDataPath('/site/data/punctuality/picture', query)}&language=${language}`;

function lineOf({ params }: PageRequest): Subject {
  const line = params.line ?? '';
  return { query: new URLSearchParams({ line }), name: line };
}

function stopOf({ params, facts }: PageRequest): Subject {
  const stopId = params.id ?? '';
  return { query: new URLSearchParams({ stopId }), name: facts.findStopName(stopId) ?? '' };
}

/** Punctuality of a line in plain words. */
export const linePunctualityPage: Page = {
  paths: ['/punctuality/lines', '/punctuality/lines/:line'],
  title: (request) => plainPunctualityTexts[request.language].lineTitle(lineOf(request).name),
  listData: (request) => (request.params.line === undefined ? [] : [dataPath(lineOf(request))]),
  // The form sends the line as a parameter; without one it leads back.
  findOtherAddress: ({ params, query }) => {
    if (params.line !== undefined) return null;
    const line = query.get('line')?.trim();
    return line ? `/punctuality/lines/${encodeURIComponent(line)}` : '/punctuality';
  },
  main: (request) => renderSubject(request, lineOf(request)),
};

/** Punctuality of a stop in plain words, with its lines. */
export const stopPunctualityPage: Page = {
  paths: ['/punctuality/stops/:id'],
  isFound: ({ params, facts }) => facts.findStopName(params.id ?? '') !== null,
  title: (request) => plainPunctualityTexts[request.language].stopTitle(stopOf(request).name),
  listData: (request) => [dataPath(stopOf(request))],
  main: (request) => renderSubject(request, stopOf(request)),
};

function renderSubject(request: PageRequest, subject: Subject): Html {
  const { language, answers } = request;
  const texts = plainPunctualityTexts[language];
  const path = dataPath(subject);
  const data = findAnswer<PunctualityData>(answers, path);
  const heading = html`<h1>${texts.heading} <bdi>${subject.name}</bdi></h1>`;
  if (data === null) {
    const problem = findProblem(answers, path) ?? 'unknown_stop';
    return html`${heading}<div class="card empty"><p>${describeFailure(problem, language)}</p><a class="button" href="/punctuality">${texts.all}</a></div>`;
  }
  const [from, to] = [data.period.from, data.period.to].map((date) => formatDate(date, language));
  const isKnown = data.totals !== null && data.totals.observed > 0;
  return html`${heading}
<section class="card verdict">
${describePunctuality(data, language).map((sentence) => html`<p>${sentence}</p>`)}
${isKnown ? drawDays(data.days, texts.days) : nothing}
${isKnown ? html`<p class="note">${texts.period(from!, to!)}</p>` : nothing}
</section>
<p><a class="button" href="/punctuality?${subject.query.toString()}">${texts.charts}</a>${linkMap(request)}</p>
${isKnown ? listLines(request, data) : nothing}
${isKnown ? embedCode(request, subject) : nothing}`;
}

/** A link to a stop on the map of all stops; none for a line. */
function linkMap({ language, params }: PageRequest): Html {
  if (params.id === undefined) return nothing;
  const path = `/punctuality/stops?stop=${encodeURIComponent(params.id)}`;
  return html` <a class="button" href="${path}">${stationTexts[language].link}</a>`;
}

/** Lines of a stop; for a line, the networks that use its label, if there are several. */
function listLines({ language, params }: PageRequest, { lines }: PunctualityData): Html {
  const texts = plainPunctualityTexts[language];
  const shown = [...lines.best, ...lines.worst];
  if (params.line !== undefined && shown.length < 2) return nothing;
  const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
  const row = ({ line, operator, observed, on_time_share: onTime }: PunctualityLine) =>
    html`<li><a href="/punctuality/lines/${encodeURIComponent(line)}"><span><bdi>${line}</bdi> <span class="note">${operator}</span></span>
<span>${onTime === null ? '–' : share.format(onTime)} <span class="note">${texts.ofCalls(observed)}</span></span></a></li>`;
  return html`<h2>${texts.lines}</h2><ul class="examples">${shown.map(row)}</ul>`;
}

/** Links to the punctuality of a stop or a line. */
export function linkPunctuality(path: string, language: Language): Html {
  return html`<p><a href="${path}">${plainPunctualityTexts[language].link}</a></p>`;
}

function embedCode(request: PageRequest, subject: Subject): Html {
  const texts = plainPunctualityTexts[request.language];
  const path = picturePath(subject, request);
  const element = `<img src="${request.origin}${path}" alt="${texts.heading} ${subject.name}" width="480" height="160">`;
  return html`<h2>${texts.embed}</h2>
<p class="note">${texts.embedNote}</p>
<p><img src="${path}" alt="${texts.picture(subject.name)}" width="480" height="160" loading="lazy"></p>
<pre tabindex="0"><code>${element}</code></pre>`;
}
