import type { FetchedJson } from './fetch-json.ts';

/**
 * Takes the answer to a path that the server put into the page, so that the script starts with it. An answer can be
 * taken once, since later it is outdated.
 */
export function takePageAnswer<Answer>(path: string | null): FetchedJson<Answer> | null {
  const places = [...document.querySelectorAll<HTMLScriptElement>('script[data-answer-of]')];
  const place = places.find(({ dataset }) => dataset.answerOf === path);
  if (!place) return null;
  place.remove();
  if (isFromHistory()) return null;
  return { answer: JSON.parse(place.text) as Answer, serverMilliseconds: Date.parse(place.dataset.date!) };
}

/** The back button may show the page as it was, without requesting it. */
function isFromHistory(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'back_forward';
}
