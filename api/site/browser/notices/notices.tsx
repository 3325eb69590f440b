import type { Notice } from '../../../contract/v2-basics.ts';
import { boardTexts } from '../../texts/boards.ts';
import { pageLanguage } from '../page/language.ts';
import './notices.css';

/** Disruptions without duplicates, the most important first, with collapsed texts. */
export function Notices({ notices }: { readonly notices: readonly Notice[] }) {
  const distinct = [...new Map(notices.map((notice) => [notice.id, notice])).values()];
  if (distinct.length === 0) return null;
  const sorted = distinct.sort((a, b) => b.priority - a.priority);
  return (
    <section class="notices" aria-label={boardTexts[pageLanguage()].disruptions(sorted.length)}>
      {sorted.map((notice) => (
        <details key={notice.id} data-kind={notice.kind}>
          <summary>
            <bdi>{notice.title}</bdi>
          </summary>
          <p>
            <bdi>{notice.text}</bdi>
          </p>
        </details>
      ))}
    </section>
  );
}
