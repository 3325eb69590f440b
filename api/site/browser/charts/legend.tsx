interface LegendProps {
  readonly entries: readonly {
    readonly name: string;
    readonly id: string;
    /** Of the swatch; absent: 1. */
    readonly opacity?: number;
    /** Shape of its marks; absent: an area. */
    readonly symbol?: 'circle' | 'square' | 'triangle' | 'diamond' | 'dash';
  }[];
}

/** Says what the colours of a drawing stand for. */
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
