import { boardTexts } from '../../texts/boards.ts';
import { describeFailure } from '../../texts/failures.ts';
import { pageLanguage } from '../page/language.ts';
import { formatAge } from '../times/format-age.ts';
import { useNow } from './use-now.ts';
import type { Polled } from './use-polled.ts';
import './freshness.css';

interface FreshnessProps {
  readonly polled: Polled<unknown>;
  /** Polling interval; three missed answers in a row are reported. */
  readonly seconds: number;
}

const MISSED = 3;
/** Austrian local time, wherever the reader is. */
const clock = new Intl.DateTimeFormat('de', { hour: '2-digit', minute: '2-digit', timeZone: 'Europe/Vienna' });

/** Shows the age of the data, and warns if it is outdated. */
export function Freshness({ polled: { answeredAt, error }, seconds }: FreshnessProps) {
  const language = pageLanguage();
  const texts = boardTexts[language];
  const now = useNow(5);
  const ageSeconds = answeredAt === null ? 0 : (now - answeredAt) / 1000;
  const isStale = answeredAt !== null && error !== null && ageSeconds > seconds * MISSED;
  return (
    <p class="freshness" role="status" data-state={isStale ? 'stale' : 'fresh'}>
      {isStale && texts.stale(formatAge(ageSeconds, language))}
      {answeredAt === null && (error ? describeFailure(error.code, language) : texts.loading)}
      {!isStale && answeredAt !== null && <span aria-hidden="true">{texts.asOf(clock.format(answeredAt))}</span>}
    </p>
  );
}
