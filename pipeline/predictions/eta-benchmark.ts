import type { ForecastTable } from './forecast-table.ts';

/**
 * The public ETA Accuracy Benchmark: by how far away the vehicle really was, how much earlier or later than forecast
 * it may come to count as accurate. Buckets have their start and not their end, limits are included.
 * @see https://github.com/TransitApp/ETA-Accuracy-Benchmark
 */
const etaBuckets = [
  { name: '0-3 min', from: 0, to: 180, early: 30, late: 90 },
  { name: '3-6 min', from: 180, to: 360, early: 60, late: 150 },
  { name: '6-10 min', from: 360, to: 600, early: 60, late: 210 },
  { name: '10-15 min', from: 600, to: 900, early: 90, late: 270 },
] as const;

export interface EtaFigures {
  readonly bucket: string;
  readonly pairs: number;
  /** Share of accurate forecasts, by forecaster; null without pairs. */
  readonly accurate: Readonly<Record<string, number | null>>;
}

/** The shares of each bucket, and last their mean, in which all buckets weigh the same. */
export function measureEtaAccuracy(table: ForecastTable): EtaFigures[] {
  const figures = etaBuckets.map(({ name, from, to, early, late }): EtaFigures => {
    const accurate = new Float64Array(table.forecasters.length);
    let pairs = 0;
    for (let pair = 0; pair < table.count; pair++) {
      const away = table.secondsToArrival[pair]!;
      if (away < from || away >= to) continue;
      pairs++;
      table.forecasters.forEach(({ median }, one) => {
        const later = table.truth[pair]! - median[pair]!;
        if (later >= -early && later <= late) accurate[one] = accurate[one]! + 1;
      });
    }
    const share = (one: number) => (pairs === 0 ? null : accurate[one]! / pairs);
    return {
      bucket: name,
      pairs,
      accurate: Object.fromEntries(table.forecasters.map(({ name: forecaster }, one) => [forecaster, share(one)])),
    };
  });
  const mean = (name: string) => {
    const shares = figures.map(({ accurate }) => accurate[name] ?? null);
    return shares.some((share) => share === null)
      ? null
      : shares.reduce((sum, share) => sum! + share!, 0)! / shares.length;
  };
  return [
    ...figures,
    {
      bucket: 'mean of buckets',
      pairs: figures.reduce((sum, { pairs }) => sum + pairs, 0),
      accurate: Object.fromEntries(table.forecasters.map(({ name }) => [name, mean(name)])),
    },
  ];
}
