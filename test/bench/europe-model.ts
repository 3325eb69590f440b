import type { Metric } from './metric.ts';

/** Prices in euros. */
export interface Prices {
  readonly asOf: string;
  readonly coreHour: number;
  readonly memoryGigabyteHour: number;
  readonly storageGigabyteMonth: number;
  readonly thousandWrites: number;
  readonly thousandReads: number;
}

/** Measured cost per call. */
export interface MeasuredPerCall {
  readonly finaliseCpuSeconds: number;
  readonly countCpuSeconds: number;
  readonly martsCpuSeconds: number;
  /** CPU time to copy the rows of the other days of the month in a mart file. */
  readonly monthCpuSeconds: number;
  /** Data that is stored forever: stop events and marts. */
  readonly observationBytes: number;
  readonly lakeBytes: number;
  readonly martsBytes: number;
}

export const AUSTRIA_CALLS = 2_500_000;
/** Calls per day of 50 countries of Austria's size. */
export const EUROPE_CALLS = 50 * AUSTRIA_CALLS;
const SOURCES_PER_COUNTRY = 5;
/** Files and manifests published for a source and day: events, marts and metadata, each with its manifest. */
const WRITES_PER_SOURCE_DAY = 12;
const READS_PER_SOURCE_DAY = 24;
/** Average number of days that a month already has when a day is added. */
const KEPT_SHARE = 0.5;
/** Requests for a source polled every ten seconds, for all realtime snapshots, and for a serving API: docs/operations.md. */
const POLLED_WRITES_PER_SOURCE_DAY = 23_040;
const SNAPSHOT_WRITES_PER_DAY = 259_200;
const READS_PER_REPLICA_DAY = 177_120;
const REPLICAS = 2;
/** Finalised at least twice: when the day is complete, and after late data. */
const FINALISED_TIMES = 2;
/** Memory of a worker while it computes. */
const GIGABYTES_PER_CORE = 4;
/** Nightly time window for processing a day. */
const WINDOW_HOURS = 4;

/**
 * Estimates cores, storage and cost for a number of calls per day. Linear in the calls: finalising and counting process
 * days and sources independently. The marts of a day contain all sources and are the part to watch (`peak memory` by
 * countries).
 */
export function computeFor(calls: number, measured: MeasuredPerCall, prices: Prices): Metric[] {
  const { finaliseCpuSeconds, countCpuSeconds, martsCpuSeconds, monthCpuSeconds } = measured;
  const daily = FINALISED_TIMES * finaliseCpuSeconds + countCpuSeconds + martsCpuSeconds;
  const coreHours = (calls * (daily + KEPT_SHARE * monthCpuSeconds)) / 3600;
  const lastHours = (calls * (daily + monthCpuSeconds)) / 3600;
  const dayGigabytes = (calls * (measured.observationBytes + measured.lakeBytes + measured.martsBytes)) / 1e9;
  const sources = (calls / AUSTRIA_CALLS) * SOURCES_PER_COUNTRY;
  const compute = coreHours * (prices.coreHour + GIGABYTES_PER_CORE * prices.memoryGigabyteHour);
  const requests = computeRequests(sources, prices);
  // At the end of the year, a whole year is stored.
  const storage = dayGigabytes * 365 * prices.storageGigabyteMonth;
  const name = `computed, ${(calls / 1e6).toLocaleString('en')} M calls a day`;
  return [
    { name: `${name}: core hours a day`, value: coreHours, unit: 'h' },
    { name: `${name}: core hours of the last day of a month`, value: lastHours, unit: 'h' },
    { name: `${name}: cores for a night of ${WINDOW_HOURS} h`, value: Math.ceil(lastHours / WINDOW_HOURS), unit: '' },
    { name: `${name}: observations, stop events and marts a day`, value: dayGigabytes, unit: 'GB' },
    { name: `${name}: the same a year`, value: dayGigabytes * 365, unit: 'GB' },
    { name: `${name}: computing a month`, value: compute * 30, unit: 'EUR' },
    { name: `${name}: storage of a year's data a month`, value: storage, unit: 'EUR' },
    { name: `${name}: requests of jobs a month`, value: requests.jobs * 30, unit: 'EUR' },
    {
      name: `${name}: requests of poller and ${REPLICAS} replicas a month`,
      value: requests.realtime * 30,
      unit: 'EUR',
    },
  ];
}

/** Requests per day. Polling needs far more than publishing by jobs; all requests of the poller count as writes. */
function computeRequests(sources: number, { thousandWrites, thousandReads }: Prices) {
  const cost = (writes: number, reads: number) => (writes * thousandWrites + reads * thousandReads) / 1000;
  return {
    jobs: cost(sources * WRITES_PER_SOURCE_DAY, sources * READS_PER_SOURCE_DAY),
    realtime: cost(sources * POLLED_WRITES_PER_SOURCE_DAY + SNAPSHOT_WRITES_PER_DAY, REPLICAS * READS_PER_REPLICA_DAY),
  };
}
