interface IntervalBarProps {
  /** 0 to 1. */
  readonly low: number;
  readonly share: number;
  readonly high: number;
}

const WIDTH = 120;
const HEIGHT = 14;

/** Draws a share and its interval, from 0 to 1, beside their numbers. */
export function IntervalBar({ low, share, high }: IntervalBarProps) {
  return (
    <svg class="interval-bar" width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <line x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      <rect x={low * WIDTH} width={Math.max(2, (high - low) * WIDTH)} y={4} height={6} rx={3} />
      <circle cx={Math.min(WIDTH - 3, Math.max(3, share * WIDTH))} cy={HEIGHT / 2} r={3} />
    </svg>
  );
}
