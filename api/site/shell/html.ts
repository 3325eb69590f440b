import { escapeMarkup } from '../../../pipeline/model/escape-markup.ts';

/** Markup whose texts are escaped already. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | readonly Html[];

/** Markup with values in it: texts are escaped, so that no name out of a feed becomes markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0]!;
  for (const [i, part] of parts.entries()) markup += render(part) + strings[i + 1]!;
  return { markup };
}

/** Nothing, where a part is left out. */
export const nothing: Html = { markup: '' };

/** @param markup made from escaped texts alone */
export function trustMarkup(markup: string): Html {
  return { markup };
}

function render(part: Part): string {
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escapeMarkup(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('\n');
}
