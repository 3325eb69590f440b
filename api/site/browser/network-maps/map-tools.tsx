import { useEffect } from 'preact/hooks';
import { networkMapTexts } from '../../texts/network-maps.ts';
import { pageLanguage } from '../page/language.ts';
import { useQuery } from '../page/use-query.ts';
import { dragToScroll } from './drag-to-scroll.ts';

/** Zoom steps: width of the image relative to its view. */
const STEPS = [1, 1.5, 2, 3, 4, 6, 8] as const;

interface Parts {
  /** Scroll container of the image. */
  readonly view: HTMLElement;
  readonly picture: HTMLImageElement;
}

/** Zooms the image around the centre of the view. The zoom is stored in the URL. */
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

/** Keeps the centre of the view in place. */
function resize({ view, picture }: Parts, share: number): void {
  const middle = (start: number, size: number, whole: number) => (whole === 0 ? 0.5 : (start + size / 2) / whole);
  const x = middle(view.scrollLeft, view.clientWidth, view.scrollWidth);
  const y = middle(view.scrollTop, view.clientHeight, view.scrollHeight);
  view.dataset.zoomed = String(share > 1);
  picture.style.width = share === 1 ? '' : `${share * 100}%`;
  view.scrollLeft = x * view.scrollWidth - view.clientWidth / 2;
  view.scrollTop = y * view.scrollHeight - view.clientHeight / 2;
}
