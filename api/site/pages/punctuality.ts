import { isoWeekday, type ServiceDate, toEpochDay } from '../../../pipeline/model/service-time.ts';
import {
  averageMinutes,
  type HistoryNumbers,
  type LineTally,
  type Punctuality,
  percentOf,
} from '../../history/tally.ts';
import { escapeHtml, trustMarkup } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import { punctualityTexts } from '../texts/punctuality.ts';

/** Shares of fewer observed calls are dominated by chance, and are marked as such. */
const MIN_EVENTS = 30;
/** Lines with fewer observed calls are not listed. */
const MIN_LINE_EVENTS = 100;
const FEW_NOTE = `Fewer than ${MIN_EVENTS} calls were observed: the shares say more about chance than about the service.`;
const LISTED_LINES = 8;
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** Recent punctuality: every share with its denominator. */
export const punctualityPage: Page = {
  paths: ['/punctuality'],
  menu: (language) => punctualityTexts[language].menu,
  summary: (language) => punctualityTexts[language].summary,
  title: ({ language }) => punctualityTexts[language].title,
  main: ({ facts: { punctuality: history } }) => {
    const main = history && history.numbers.totals.expected > 0 ? renderNumbers(history) : renderNothing(history);
    return trustMarkup(`<h1>Punctuality</h1>\n${main}`);
  },
};

function renderNothing(history: Punctuality | null): string {
  const period = history ? `From ${history.numbers.period.from} to ${history.numbers.period.to} ` : 'So far ';
  return `<p>${period}nothing was recorded. The record begins when a day of a realtime source is over and
<code>build-marts</code> has run; archives are brought in with <code>import-history</code>.</p>`;
}

function renderNumbers({ numbers, definition }: Punctuality): string {
  const { period, totals } = numbers;
  const { observed, expected, cancelled, onTime } = totals;
  const ofScheduled = percentOf(onTime, observed + cancelled);
  return `<section class="opening"><p>From ${period.from} to ${period.to}, ${format(percentOf(onTime, observed), ' %')} of
${count(observed)} observed calls were on time.${observed < MIN_EVENTS ? ` ${FEW_NOTE}` : ''}</p></section>
<div class="wide"><table>
<tbody>
${row('Scheduled calls', count(expected))}
${row('Observed: the source said when they happened', `${count(observed)}, ${format(percentOf(observed, expected), ' %')} of the scheduled`)}
${row('Cancelled by explicit report', count(cancelled))}
${row('On time, of the observed and the cancelled', format(ofScheduled, ' %'))}
${row(`Early by ${-definition.earlyMinSeconds} s or more, of the observed`, format(percentOf(totals.early, observed), ' %'))}
${row(`Late by ${definition.lateMinDelaySeconds} s or more, of the observed`, format(percentOf(totals.late10, observed), ' %'))}
${row('Mean delay of the observed', format(averageMinutes(totals), ' min'))}
</tbody>
</table></div>
<p>On time is a delay below ${definition.onTimeMaxDelaySeconds} s; early counts as on time. A forecast never counts, and
a call without any report is missing, not cancelled. The numbers are those of <a href="/v1/history"><code>/v1/history</code></a>.</p>
${drawDays(numbers)}
${drawHours(numbers)}
${listLines(numbers)}`;
}

function row(name: string, value: string): string {
  return `<tr><th scope="row">${name}</th><td>${value}</td></tr>`;
}

/** Digits in groups of three. */
function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

function format(value: number | null, unit: string): string {
  return value === null ? 'unknown' : `${value}${unit}`;
}

// ---- Days --------------------------------------------------------------------------------------

const DAY_WIDTH = 10;
const DAY_HEIGHT = 120;

/** One bar a day, its height the share; a day without observation has none. */
function drawDays({ period, daily }: HistoryNumbers): string {
  const first = toEpochDay(period.from);
  const width = (toEpochDay(period.to) - first + 1) * DAY_WIDTH;
  const bars = daily.map(({ day, observed, onTime }) => {
    const height = observed === 0 ? 0 : Math.round((DAY_HEIGHT * onTime) / observed);
    const place = `x="${(toEpochDay(day) - first) * DAY_WIDTH}" y="${DAY_HEIGHT - height}"`;
    const title = `<title>${nameDay(day)}: ${format(percentOf(onTime, observed), ' %')} of ${count(observed)}</title>`;
    return `<rect${markFew(observed)} ${place} width="${DAY_WIDTH - 2}" height="${height}">${title}</rect>`;
  });
  return `<h2>On time by day</h2>
<svg class="chart" viewBox="0 0 ${width} ${DAY_HEIGHT}" role="img" aria-label="Share of observed calls on time, by day">
<line x1="0" y1="0" x2="${width}" y2="0"/><line x1="0" y1="${DAY_HEIGHT / 2}" x2="${width}" y2="${DAY_HEIGHT / 2}"/>
${bars.join('\n')}
</svg>
<p class="note">A bar a day, ${period.from} to ${period.to}; the lines are 100 and 50 %. No bar: nothing was observed.
${renderFew(daily)}</p>`;
}

function markFew(observed: number, ...classes: readonly string[]): string {
  const all = observed < MIN_EVENTS ? [...classes, 'few'] : classes;
  return all.length === 0 ? '' : ` class="${all.join(' ')}"`;
}

/** Explains pale marks, where there are any. */
function renderFew(marks: readonly { readonly observed: number }[]): string {
  return marks.some(({ observed }) => observed > 0 && observed < MIN_EVENTS)
    ? `Pale: fewer than ${MIN_EVENTS} observed calls.`
    : '';
}

function nameDay(day: ServiceDate): string {
  return `${weekdays[isoWeekday(day) - 1]}, ${day}`;
}

// ---- Hours -------------------------------------------------------------------------------------

const CELL = 24;
const LABEL_WIDTH = 56;
/** Minutes of mean delay from which a cell is darker. */
const heatSteps = [1, 2, 3, 5, 8];

function drawHours({ heatmap }: HistoryNumbers): string {
  const cells = heatmap.map((cell) => {
    const minutes = averageMinutes(cell)!;
    const heat = heatSteps.filter((step) => minutes >= step).length;
    const place = `x="${LABEL_WIDTH + cell.hour * CELL}" y="${(cell.dow - 1) * CELL}"`;
    const title = `<title>${weekdays[cell.dow - 1]}, ${cell.hour}:00: ${minutes} min, ${count(cell.observed)} calls</title>`;
    return `<rect${markFew(cell.observed, `heat-${heat}`)} ${place} width="${CELL - 1}" height="${CELL - 1}">${title}</rect>`;
  });
  const days = weekdays.map((name, i) => `<text x="0" y="${i * CELL + 16}">${name.slice(0, 3)}</text>`);
  const hours = [0, 6, 12, 18].map(
    (hour) => `<text x="${LABEL_WIDTH + hour * CELL}" y="${7 * CELL + 16}">${hour}</text>`,
  );
  return `<h2>Mean delay by weekday and hour</h2>
<svg class="chart" viewBox="0 0 ${LABEL_WIDTH + 24 * CELL} ${7 * CELL + 22}" role="img" aria-label="Mean delay of observed calls, by weekday and hour">
${[...cells, ...days, ...hours].join('\n')}
</svg>
<p class="note">By scheduled local time; darker from ${heatSteps.join(', ')} minutes on. Blank: nothing was observed.
${renderFew(heatmap)}</p>`;
}

// ---- Lines -------------------------------------------------------------------------------------

function listLines({ lines }: HistoryNumbers): string {
  const known = lines.filter(({ line, observed }) => line !== '' && observed >= MIN_LINE_EVENTS);
  const share = ({ onTime, observed }: LineTally) => onTime / observed;
  const sorted = [...known].sort((a, b) => share(a) - share(b) || compareNames(a, b));
  if (sorted.length === 0) return '';
  const worst = sorted.slice(0, LISTED_LINES);
  const best = sorted.slice(LISTED_LINES).reverse().slice(0, LISTED_LINES);
  return [
    tableOfLines('Least punctual lines', worst),
    ...(best.length > 0 ? [tableOfLines('Most punctual lines', best)] : []),
    `<p class="note">Of lines with at least ${MIN_LINE_EVENTS} observed calls.</p>`,
  ].join('\n');
}

function compareNames(a: LineTally, b: LineTally): number {
  const [left, right] = [a, b].map(({ line, operator, product }) => JSON.stringify([line, operator, product])) as [
    string,
    string,
  ];
  return left < right ? -1 : 1;
}

function tableOfLines(title: string, lines: readonly LineTally[]): string {
  const rows = lines.map((line) => {
    const cells = [
      escapeHtml(line.operator),
      format(percentOf(line.onTime, line.observed), ' %'),
      count(line.observed),
      format(averageMinutes(line), ' min'),
    ];
    return `<tr><th scope="row">${escapeHtml(line.line)}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<h2>${title}</h2>
<div class="wide"><table class="figures">
<thead><tr><th scope="col">Line</th><th scope="col">Operator</th><th scope="col">On time</th><th scope="col">Observed calls</th><th scope="col">Mean delay</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`;
}
