import type { RecordProblem } from '../../model/problem.ts';

/** The stop of a monitor. */
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

/** Fields of a line at a monitor, repeated for a vehicle that differs from it. */
export interface RawLine {
  readonly name: string | undefined;
  readonly towards: string | undefined;
  /** `H` (hin, out) or `R` (retour). */
  readonly direction: string | undefined;
  readonly platform: string | undefined;
  /** `ptMetro`, `ptTram`, `ptBusCity` … */
  readonly type: string | undefined;
}

/** One line at one platform, with its coming departures. */
export interface RawMonitorLine {
  readonly stop: RawStop;
  readonly line: RawLine;
  readonly departures: readonly RawDeparture[];
}

export interface RawDeparture {
  /** Position in the answer, e.g. `monitors[2].lines[0].departure[5]`. */
  readonly place: string;
  readonly timePlanned: string | undefined;
  readonly timeReal: string | undefined;
  readonly vehicle: RawLine | undefined;
}

/** An entry of `trafficInfos` or `pois`; both have one form. */
export interface RawNotice {
  readonly place: string;
  readonly id: string;
  /** Name of its category, e.g. `stoerungkurz`; category numbers are valid within one answer only. */
  readonly category: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly descriptionHtml: string | undefined;
  readonly location: string | undefined;
  readonly priority: string | undefined;
  readonly owner: string | undefined;
  /** `active`, `resolved`; free text for lifts. */
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
  /** Departures and notices, refused ones included; monitors and lines that were read do not count. */
  readonly recordCount: number;
  /** One for each record that was refused. */
  readonly problems: readonly RecordProblem[];
}

export interface RawNoticeAnswer {
  readonly serverTime: string | undefined;
  readonly notices: readonly RawNotice[];
  readonly recordCount: number;
  readonly problems: readonly RecordProblem[];
}
