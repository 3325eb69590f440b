import { mapAddress, type PublishedMap } from '../../../pipeline/snapshots/network-map-files.ts';
import { type Html, html, nothing } from '../shell/html.ts';
import type { Page, PageRequest } from '../shell/page.ts';
import type { Language } from '../texts/languages.ts';
import { networkMapTexts } from '../texts/network-maps.ts';

/** All network maps as pictures, and a zoomable page for each one. Both work without a script. */
export const networkMapsPage: Page = {
  paths: ['/network-maps', '/network-maps/:map'],
  script: 'network-maps',
  menu: (language) => networkMapTexts[language].menu,
  summary: (language) => networkMapTexts[language].cardSummary,
  title: (request) => findMap(request)?.title ?? networkMapTexts[request.language].title,
  isFound: (request) => request.params.map === undefined || findMap(request) !== null,
  main(request) {
    const map = findMap(request);
    if (map) return showMap(map, request.language);
    return listMaps(request);
  },
};

function findMap({ params, facts }: PageRequest): PublishedMap | null {
  return facts.networkMaps.find(({ id }) => id === params.map) ?? null;
}

function listMaps({ language, params, facts: { networkMaps } }: PageRequest): Html {
  const texts = networkMapTexts[language];
  const list = html`<ul class="map-list">${networkMaps.map((map) => renderEntry(map, language))}</ul>`;
  return html`<h1>${texts.title}</h1>
<div class="opening"><p>${texts.intro}</p></div>
${params.map === undefined ? nothing : html`<p class="card" role="status">${texts.unknown}</p>`}
${networkMaps.length === 0 ? html`<p class="card">${texts.nothing}</p>` : list}`;
}

function renderEntry(map: PublishedMap, language: Language): Html {
  const { id, title, format, file } = map;
  const picture =
    format === 'pdf'
      ? html`<span class="map-paper">PDF</span>`
      : html`<img src="${mapAddress(file)}" alt="" loading="lazy" decoding="async">`;
  return html`<li class="card"><a href="/network-maps/${id}"><span class="map-picture">${picture}</span>
<span class="map-title">${title}</span></a>
<p class="note">${describe(map, language)}</p>
${downloadLink(map, language, '')}</li>`;
}

function showMap(map: PublishedMap, language: Language): Html {
  const texts = networkMapTexts[language];
  const { title, format, file, attribution } = map;
  const view =
    format === 'pdf'
      ? html`<p class="card">${texts.isPdf} <a class="button primary" href="${mapAddress(file)}">${texts.open}</a></p>`
      : html`<div id="map-tools" class="map-tools"></div>
<div id="map-view" class="map-view" tabindex="0" role="region" aria-label="${texts.view}"><img src="${mapAddress(file)}" alt="${texts.picture(title)}"></div>`;
  return html`<p class="map-back"><a href="/network-maps">${texts.all}</a></p>
<h1>${title}</h1>
<p class="note">${describe(map, language)}</p>
${view}
<p>${downloadLink(map, language, 'button')}</p>
${attribution === null ? nothing : html`<p class="note">${texts.data}: ${attribution}</p>`}`;
}

function describe({ region, validFrom }: PublishedMap, language: Language): string {
  const texts = networkMapTexts[language];
  if (validFrom === null) return region;
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  return `${region} · ${texts.validFrom(date.format(new Date(`${validFrom}T00:00:00Z`)))}`;
}

function downloadLink({ format, bytes, file, title }: PublishedMap, language: Language, className: string): Html {
  const texts = networkMapTexts[language];
  const label = texts.downloadAs(format.toUpperCase(), formatSize(bytes, language));
  return html`<a class="${className}" href="${mapAddress(file)}" download="${title}.${format}">${label}</a>`;
}

function formatSize(bytes: number, language: Language): string {
  const number = new Intl.NumberFormat(language, { maximumSignificantDigits: 2 });
  return bytes < 1e6 ? `${number.format(bytes / 1e3)} kB` : `${number.format(bytes / 1e6)} MB`;
}
