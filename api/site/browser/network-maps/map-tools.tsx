import { useEffect } from 'preact/hooks';
import { networkMapTexts } from '../../texts/network-maps.ts';
import { pageLanguage } from '../page/language.ts';
import { useQuery } from '../page/use-query.ts';
import { dragToScroll } from './drag-to-scroll.ts';

/** Widths of the picture, as shares of its view. */
const STEPS = [1, 1.5, 2, 3, 4, 6, 8] as const;

interface Parts {
  /** What shows a part of the picture: it scrolls, by keys too. */
  readonly view: HTMLElement;
  readonly picture: HTMLImageElement;
}

/** Makes the picture larger and smaller around the middle of what is seen. The size is in the address. */
export function MapTools({ view, picture }: Parts) {
  const texts = networkMapTexts[pageLanguage()];
  const [query, change] = useQuery();
  const step = Math.min(STEPS.length - 1, Math.max(0, Math.trunc(Number(query.get('zoom') ?? 0)) || 0));
  const zoomTo = (next: number) => change({ zoom: next === 0 ? null : String(next) }, 'replace');
  useEffect(() => resize({ view, picture }, STEPS[step]!), [step, view, picture]);
  useEffect(() => dragToScroll(view), [view]);
  return (
    <>
      <button type="button" onClick={() => zoomTo(step + 1)} disabled={step === STEPS.length - 1}>
        <span aria-hidden="true">+</span> {texts.larger}
      </button>
      <button type="button" onClick={() => zoomTo(step - 1)} disabled={step === 0}>
        <span aria-hidden="true">−</span> {texts.smaller}
      </button>
      <button type="button" onClick={() => zoomTo(0)} disabled={step === 0}>
        {texts.whole}
      </button>
      <span class="note" role="status">
        {Math.round(STEPS[step]! * 100)} %
      </span>
    </>
  );
}

/** What was in the middle stays there. */
function resize({ view, picture }: Parts, share: number): void {
  const middle = (start: number, size: number, whole: number) => (whole === 0 ? 0.5 : (start + size / 2) / whole);
  const x = middle(view.scrollLeft, view.clientWidth, view.scrollWidth);
  const y = middle(view.scrollTop, view.clientHeight, view.scrollHeight);
  view.dataset.zoomed = String(share > 1);
  picture.style.width = share === 1 ? '' : `${share * 100}%`;
  view.scrollLeft = x * view.scrollWidth - view.clientWidth / 2;
  view.scrollTop = y * view.scrollHeight - view.clientHeight / 2;
}
