import { html, nothing } from '../shell/html.ts';
import type { Page, SiteFacts } from '../shell/page.ts';
import { mapPageTexts } from '../texts/map.ts';

/** The map of lines, stops and vehicles, drawn entirely by the script. */
export const mapPage: Page = {
  paths: ['/map'],
  script: 'map',
  tab: 'map',
  menu: (language) => mapPageTexts[language].menu,
  summary: (language) => mapPageTexts[language].cardSummary,
  title: ({ language }) => mapPageTexts[language].title,
  listOrigins: tilesOrigins,
  main: ({ language, facts: { mapTiles, hasSharing } }) => {
    const texts = mapPageTexts[language];
    return html`<h1>${texts.title}</h1>
<div id="map" class="map-page" ${mapTiles === null ? nothing : html`data-tiles="${mapTiles.url}"`}${hasSharing ? html` data-sharing="true"` : nothing}><noscript><p class="card">${texts.noScript}</p></noscript></div>
<p class="note">${texts.intro}</p>
${mapTiles?.attribution ? html`<p class="note">${texts.tiles}: ${mapTiles.attribution}</p>` : nothing}`;
  },
};

/** The server of the base tiles. */
export function tilesOrigins({ mapTiles }: SiteFacts): readonly string[] {
  return mapTiles === null ? [] : [new URL(mapTiles.url).origin];
}
