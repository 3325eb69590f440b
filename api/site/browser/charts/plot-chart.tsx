import { type PlotOptions, plot } from '@observablehq/plot';
import { useEffect, useRef, useState } from 'preact/hooks';

interface PlotChartProps {
  /** One sentence about the chart for screen readers; the numbers are in the table beside it. */
  readonly label: string;
  /** Returns the plot options for a width in pixels. */
  readonly draw: (width: number) => PlotOptions;
}

/** A plot that fills the width of its container. */
export function PlotChart({ label, draw }: PlotChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  useEffect(() => {
    if (width === 0) return;
    const svg = plot({ ...draw(width), width, className: 'plot' });
    // The content security policy forbids inline styles; charts.css has these rules.
    svg.querySelector('style')?.remove();
    // The plot is one image with one label for screen readers; its parts have none.
    for (const part of svg.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', label);
    place.current?.replaceChildren(svg);
  }, [width, draw, label]);
  return <div class="plot-place" ref={place} />;
}

/** Width of an element in whole pixels, 0 until it is known. */
function useWidth(place: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}
