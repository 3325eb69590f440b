import type { Problem } from '../../model/problem.ts';

/** What a monitor says of the place where it stands. */
export interface RawStop {
  /** Number of the station. */
  readonly diva: string | undefined;
  /** Number of the platform. */
  readonly rbl: string | undefined;
  readonly title: string | undefined;
  /** Track, at stations of the underground. */
  readonly gate: string | undefined;
  readonly lat: number | undefined;
  readonly lon: number | undefined;
}

/** What is told of a line at a monitor, and again of a vehicle that differs from it. */
export interface RawLine {
  readonly name: string | undefined;
  readonly towards: string | undefined;
  /** `H` (hin, out) or `R` (retour). */
  readonly direction: string | undefined;
  readonly platform: string | undefined;
  /** `ptMetro`, `ptTram`, `ptBusCity` … */
  readonly type: string | undefined;
}

/** One line at one platform, with what is still to leave. */
export interface RawMonitorLine {
  readonly stop: RawStop;
  readonly line: RawLine;
  readonly departures: readonly RawDeparture[];
}

export interface RawDeparture {
  /** Where it stands in the answer, e.g. `monitors[2].lines[0].departure[5]`. */
  readonly place: string;
  readonly timePlanned: string | undefined;
  readonly timeReal: string | undefined;
  readonly vehicle: RawLine | undefined;
}

/** An entry of `trafficInfos` or `pois`; both have one form. */
export interface RawNotice {
  readonly place: string;
  readonly id: string;
  /** Name of its category, e.g. `stoerungkurz`; numbers of categories mean nothing beyond one answer. */
  readonly category: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly descriptionHtml: string | undefined;
  readonly location: string | undefined;
  readonly priority: string | undefined;
  readonly owner: string | undefined;
  /** `active`, `resolved`; of lifts in words. */
  readonly status: string | undefined;
  readonly station: string | undefined;
  readonly reason: string | undefined;
  readonly towards: string | undefined;
  readonly relatedLines: readonly string[];
  /** RBL numbers. */
  readonly relatedStops: readonly string[];
  readonly start: string | undefined;
  readonly end: string | undefined;
}

export interface RawMonitorAnswer {
  readonly serverTime: string | undefined;
  readonly lines: readonly RawMonitorLine[];
  readonly notices: readonly RawNotice[];
  /** Departures and notices, and whatever was refused; monitors and lines that were read do not count. */
  readonly recordCount: number;
  /** One for each record that was refused. */
  readonly problems: readonly Problem[];
}

export interface RawNoticeAnswer {
  readonly serverTime: string | undefined;
  readonly notices: readonly RawNotice[];
  readonly recordCount: number;
  readonly problems: readonly Problem[];
}
