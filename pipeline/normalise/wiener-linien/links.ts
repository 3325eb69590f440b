import { toPlainLine } from '../../model/plain-text.ts';
import type { AlertReport } from '../../model/realtime.ts';

const ANCHOR = /<a\s([^<>]*)>([^<]*)/gi;
const TARGET = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
const WEB_ADDRESS = /^https?:\/\/[^\s<>"']+$/;

/** The links of a text in HTML that lead into the web, each address once; a link without words is named by its address. */
export function listLinks(html: string): AlertReport['links'] {
  const titles = new Map<string, string>();
  for (const [, attributes, content] of html.matchAll(ANCHOR)) {
    const target = TARGET.exec(attributes!);
    const url = toPlainLine(target?.[1] ?? target?.[2] ?? '');
    if (WEB_ADDRESS.test(url) && !titles.has(url)) titles.set(url, toPlainLine(content!) || url);
  }
  return [...titles].map(([url, title]) => ({ title, url }));
}
