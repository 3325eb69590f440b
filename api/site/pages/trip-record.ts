import type { TripRecord, TripRecordDay } from '../../contract/site-trip-record.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import type { Page, PageRequest } from '../shell/page.ts';
import { findAnswer, findProblem } from '../shell/page-answers.ts';
import { describeFailure } from '../texts/failures.ts';
import type { Language } from '../texts/languages.ts';
import { plainPunctualityTexts } from '../texts/plain-punctuality.ts';
import { tripRecordTexts } from '../texts/trip-record.ts';
import { toDataPath } from '../view-model/data-path.ts';
import { formatDate, formatDay } from '../view-model/formats.ts';
import { describeTripDay, describeTripRecord, listTripBars, tripRecordAddress } from '../view-model/trip-record.ts';
import { drawBars } from './day-bars.ts';

const numberOf = ({ params }: PageRequest) => params.number ?? '';

/** Parameters of the data routes: the number, and the operator if the address has one. */
function selectionOf(request: PageRequest): URLSearchParams {
  const operator = request.query.get('operator');
  return new URLSearchParams({ number: numberOf(request), ...(operator === null ? {} : { operator }) });
}

const dataPath = (request: PageRequest) => toDataPath('/site/data/punctuality/trip', selectionOf(request));

/** The past days of one trip number in plain words. */
export const tripRecordPage: Page = {
  paths: ['/punctuality/trips/:number'],
  title: (request) => tripRecordTexts[request.language].title(numberOf(request)),
  listData: (request) => [dataPath(request)],
  main: renderRecord,
};

function renderRecord(request: PageRequest): Html {
  const { language, answers } = request;
  const path = dataPath(request);
  const record = findAnswer<TripRecord>(answers, path);
  const texts = plainPunctualityTexts[language];
  const heading = html`<h1>${texts.heading} <bdi>${numberOf(request)}</bdi></h1>`;
  if (record === null) {
    const reason = describeFailure(findProblem(answers, path) ?? '', language);
    return html`${heading}<div class="card empty"><p>${reason}</p><a class="button" href="/punctuality">${texts.all}</a></div>`;
  }
  const sentences = describeTripRecord(record, language).map((sentence) => html`<p>${sentence}</p>`);
  if (record.days.length === 0) {
    return html`${heading}<section class="card verdict">${sentences}</section>
<p><a class="button" href="/lines?query=${encodeURIComponent(record.number)}">${texts.lines}</a></p>`;
  }
  return html`${heading}
${describeWay(record, language)}
<section class="card verdict">${sentences}
${drawBars(listTripBars(record), tripRecordTexts[language].bars)}
<p class="note">${describeRules(record, language)}</p></section>
${listOperators(record, language)}
${listDays(record, language)}
${embedCode(request)}`;
}

/** Route, departure and operator, as of the last day. */
function describeWay({ days, operator }: TripRecord, language: Language): Html {
  const last = days.at(-1)!;
  const name = operator || tripRecordTexts[language].unknownOperator;
  return html`<p>${last.departure} ${wayOf(last)} <span class="note">${name}</span></p>`;
}

function wayOf({ from, to }: TripRecordDay): Html {
  return html`<bdi>${from ?? '–'}</bdi> <span aria-hidden="true">→</span> <bdi>${to ?? '–'}</bdi>`;
}

function describeRules({ period, onTimeMaxDelaySeconds }: TripRecord, language: Language): string {
  const texts = tripRecordTexts[language];
  const [from, to] = [period.from, period.to].map((date) => formatDate(date, language));
  return `${from} – ${to}. ${texts.rule(onTimeMaxDelaySeconds / 60)} ${texts.barsNote}`;
}

/** Links to the records of other operators with the same number. */
function listOperators({ number, operator, operators }: TripRecord, language: Language): Html {
  const texts = tripRecordTexts[language];
  const others = operators.filter((other) => other !== operator);
  if (others.length === 0) return nothing;
  const link = (other: string) =>
    html`<li><a href="${tripRecordAddress(number)}?operator=${encodeURIComponent(other)}"><bdi>${other === '' ? texts.unknownOperator : other}</bdi></a></li>`;
  return html`<p>${texts.otherOperators}</p><ul class="examples">${others.map(link)}</ul>`;
}

function listDays({ days }: TripRecord, language: Language): Html {
  const row = (
    day: TripRecordDay,
  ) => html`<li><div><span>${formatDay(day.day, language)} <span class="note">${day.departure} ${wayOf(day)}</span></span>
<span>${describeTripDay(day, language)}${describeCalls(day, language)}</span></div></li>`;
  return html`<h2>${tripRecordTexts[language].daysTitle}</h2><ul class="examples">${[...days].reverse().map(row)}</ul>`;
}

/** Notes on cancelled and unobserved calls of a day; nothing if the trip was observed at all stops. */
function describeCalls({ status, scheduled, observed, cancelled }: TripRecordDay, language: Language): Html {
  const texts = tripRecordTexts[language];
  if (status === 'cancelled' || status === 'unknown') return nothing;
  const parts = [
    ...(cancelled > 0 ? [texts.someCancelled(cancelled)] : []),
    ...(observed + cancelled < scheduled ? [texts.observed(observed, scheduled)] : []),
  ];
  return parts.length === 0 ? nothing : html` <span class="note">${parts.join('; ')}</span>`;
}

function embedCode(request: PageRequest): Html {
  const texts = plainPunctualityTexts[request.language];
  const name = numberOf(request);
  const path = `${toDataPath('/site/data/punctuality/picture', selectionOf(request))}&language=${request.language}`;
  const element = `<img src="${request.origin}${path}" alt="${texts.heading} ${name}" width="480" height="160">`;
  return html`<h2>${texts.embed}</h2>
<p class="note">${texts.embedNote}</p>
<p><img src="${path}" alt="${texts.picture(name)}" width="480" height="160" loading="lazy"></p>
<pre tabindex="0"><code>${element}</code></pre>`;
}

/** A link to the record of a trip number. */
export function linkTripRecord(number: string, language: Language): Html {
  return html`<p><a href="${tripRecordAddress(number)}">${tripRecordTexts[language].link(number)}</a></p>`;
}
