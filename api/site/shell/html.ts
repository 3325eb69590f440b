import { escapeMarkup } from '../../../pipeline/model/escape-markup.ts';

/** Markup whose texts are already escaped. */
export interface Html {
  readonly markup: string;
}

type Part = Html | string | number | readonly Html[];

/** Template tag for markup. Escapes interpolated texts, so that a name from a feed cannot become markup. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let markup = strings[0]!;
  for (const [i, part] of parts.entries()) markup += render(part) + strings[i + 1]!;
  return { markup };
}

/** Empty markup, for an omitted part. */
export const nothing: Html = { markup: '' };

function render(part: Part): string {
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escapeMarkup(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('\n');
}
