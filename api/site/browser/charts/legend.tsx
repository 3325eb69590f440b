interface LegendProps {
  readonly entries: readonly {
    readonly name: string;
    readonly id: string;
    /** Opacity of the swatch; absent: 1. */
    readonly opacity?: number;
    /** Shape of the marks; absent: an area. */
    readonly symbol?: 'circle' | 'square' | 'triangle' | 'diamond' | 'dash';
  }[];
}

/** Explains the colours of a chart. */
export function Legend({ entries }: LegendProps) {
  return (
    <ul class="legend">
      {entries.map(({ name, id, symbol, opacity = 1 }) => (
        <li key={name}>
          <span class="swatch" data-series={id} data-symbol={symbol} style={{ opacity }} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  );
}
