import { type Html, html } from './html.ts';

/** Icons of the tab bar, drawn on 24 × 24 in the colour of the text. */
const paths = {
  board: 'M4 6h16M4 12h16M4 18h10',
  trips: 'M6 5.5a2 2 0 1 0 0 .1M18 18.5a2 2 0 1 0 0 .1M8 5.5h6a3.5 3.5 0 0 1 0 7h-4a3.5 3.5 0 0 0 0 7h6',
  map: 'M12 21s-6.5-6-6.5-11a6.5 6.5 0 0 1 13 0c0 5-6.5 11-6.5 11zM12 12.3a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6z',
  chart: 'M5 20v-7M12 20V5M19 20v-10',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
} as const;

export type IconName = keyof typeof paths;

/** An icon that screen readers skip: the text beside it has the meaning. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path d="${paths[name]}"/></svg>`;
}

/** Colour of the browser around the page, as the header in `site.css`. */
export const THEME_COLORS = { light: '#ffffff', dark: '#1c2126' } as const;

/** The logo: four beats of a metre, the first one stressed. */
export const logo: Html = html`<svg xmlns="http://www.w3.org/2000/svg" class="logo" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true"><rect fill="#b80d28" width="32" height="32" rx="8"/><path fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" d="M7.5 23V9M13.2 23v-6M18.8 23v-6M24.5 23v-6"/></svg>`;
