import type { Line } from '../../contract/v2-basics.ts';
import { type Html, html } from '../shell/html.ts';
import { boardTexts } from '../texts/boards.ts';
import type { Language } from '../texts/languages.ts';
import { productPaths } from '../view-model/product-paths.ts';
import { chooseInk } from '../view-model/readable-ink.ts';

/** The label of a line on its colour. The colour is a shape, since the content security policy allows no style attributes. */
export function lineBadge({ label, colorHex }: Line, text = label): Html {
  if (colorHex === undefined) return html`<bdi class="line-badge">${text}</bdi>`;
  const ink = chooseInk(colorHex, undefined) === '#ffffff' ? 'white' : 'black';
  return html`<bdi class="line-badge" data-ink="${ink}"><svg aria-hidden="true"><rect width="100%" height="100%" fill="${colorHex}"/></svg>${text}</bdi>`;
}

/** Icon of the kind of vehicle; screen readers read its name. */
export function productIcon({ product }: Pick<Line, 'product'>, language: Language): Html {
  const name = boardTexts[language].products[product];
  return html`<svg class="product-icon" viewBox="0 0 24 24" width="20" height="20" role="img" aria-label="${name}"><title>${name}</title><path d="${productPaths[product]}"/></svg>`;
}
