import { useEffect, useState } from 'preact/hooks';
import type { Stop } from '../../../contract/v2-basics.ts';
import type { StopList } from '../../../contract/v2-board.ts';
import { chooseTyped } from '../../view-model/choose-typed.ts';
import { fetchJson } from '../fetch/fetch-json.ts';

/** Debounce interval: stops are fetched after such a pause in typing. */
const PAUSE_MILLISECONDS = 120;
const LISTED = 8;

export interface FoundStops {
  readonly state: 'idle' | 'found' | 'failed';
  /** Best match first; the previous ones until the next answer arrives. */
  readonly stops: readonly Stop[];
}

const noQuery: FoundStops = { state: 'idle', stops: [] };

/** Finds the stop or place that a typed text identifies; null if several match, none does, or the search fails. */
export async function findTyped(text: string, kinds: 'stops' | 'places'): Promise<Stop | null> {
  if (text.trim() === '') return null;
  const found = await fetchJson<StopList>(searchPath(text.trim(), kinds === 'places')).catch(() => null);
  return found && chooseTyped(text, found.answer.stops);
}

function searchPath(query: string, hasPlaces: boolean): string {
  const kinds = hasPlaces ? '' : '&kinds=station';
  return `/site/data/stops?limit=${LISTED}${kinds}&query=${encodeURIComponent(query)}`;
}

/** Finds stops by the typed text, with `hasPlaces` also addresses and places; an empty text finds none. */
export function useStops(text: string, hasPlaces: boolean): FoundStops {
  const [found, setFound] = useState(noQuery);
  useEffect(() => {
    const query = text.trim();
    if (query === '') return setFound(noQuery);
    const abort = new AbortController();
    const timer = setTimeout(() => {
      fetchJson<StopList>(searchPath(query, hasPlaces), { signal: abort.signal })
        .then(({ answer }) => setFound({ state: 'found', stops: answer.stops }))
        .catch(() => abort.signal.aborted || setFound({ state: 'failed', stops: [] }));
    }, PAUSE_MILLISECONDS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text, hasPlaces]);
  return found;
}
