import { html, nothing } from '../shell/html.ts';
import type { Page } from '../shell/page.ts';
import { mapPageTexts } from '../texts/map.ts';
import { stationTexts } from '../texts/stations.ts';
import { tilesOrigins } from './map.ts';

/** The stations by punctuality on a map, drawn by the script. */
export const stationMapPage: Page = {
  paths: ['/punctuality/stops'],
  script: 'station-map',
  title: ({ language }) => stationTexts[language].title,
  listOrigins: tilesOrigins,
  main: ({ language, facts: { mapTiles } }) => {
    const texts = stationTexts[language];
    const credit = mapTiles?.attribution;
    return html`<h1>${texts.title}</h1>
<div id="station-map" class="map-page" ${mapTiles === null ? nothing : html`data-tiles="${mapTiles.url}"`}><noscript><p class="card">${texts.noScript}</p></noscript></div>
<p class="note">${texts.intro}</p>
${credit ? html`<p class="note">${mapPageTexts[language].tiles}: ${credit}</p>` : nothing}`;
  },
};
