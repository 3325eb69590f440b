import { BoxIndex, boxAround, type LabelBox } from './boxes.ts';
import type { Bundle, Marker } from './draw-lines.ts';
import type { MapPoint } from './map-network.ts';
import { textWidth } from './text-width.ts';

/** The badge of a line at its end. */
export interface Badge {
  readonly label: string;
  /** 0xRRGGBB. */
  readonly color: number;
}

/** The name of a station on the drawing. */
export interface Label {
  readonly station: number;
  /** One line of text, or two. */
  readonly lines: readonly string[];
  /** Below the text. */
  readonly badges: readonly Badge[];
  /** Middle of the start, or of the end where it is anchored there. */
  readonly at: MapPoint;
  readonly anchor: 'start' | 'middle' | 'end';
  /** Degrees, clockwise. */
  readonly turn: number;
  readonly fontSize: number;
  readonly isBold: boolean;
  /** Area of the text. */
  readonly box: LabelBox;
}

export interface LabelRequest {
  readonly station: number;
  readonly name: string;
  /** Interchange or end: set in bold and placed first. */
  readonly isImportant: boolean;
  /** Of the lines that end there. */
  readonly badges: readonly Badge[];
  readonly marker: Marker;
  /** The previous station of the chain: names along a line are placed on the same side. */
  readonly before: number | null;
}

const FONT_SIZE = 13;
export const LINE_HEIGHT = 1.16;
export const BADGE_FONT_SIZE = 10.5;
/** Height of a row of badges, and of a badge in it. */
export const BADGE_ROW = 17;
export const BADGE_HEIGHT = 14;
export const BADGE_SPACE = 3;
const BADGE_MIN_WIDTH = 18;
/** Bold letters are wider. */
const BOLD_FACTOR = 1.09;
/** Distances of a name from its marker that are tried, with their costs. */
const GAPS = [5, 11, 18] as const;
const GAP_COST = 0.45;
/** Between names. */
const SPACE_BETWEEN = 2;
/** Names longer than this may be broken. */
const MAX_LINE_LETTERS = 15;
/** Cost of a long name in one line. */
const WHOLE_COST = 0.2;
/** Rounds in which each name may move to a better position. */
const ROUNDS = 8;
/** Cost per line overlapped by a name. */
const OVER_LINE_COST = 6;
/** Cost of a different side than that of the previous station. */
const OTHER_SIDE_COST = 1.2;
const TILE = 60;

export interface PlacedLabels {
  readonly labels: readonly Label[];
  /** Stations whose names overlap a line. */
  readonly overLines: readonly number[];
  /** Stations without a placed name. */
  readonly unplaced: readonly number[];
}

/** A position of a name beside its station, by preference. */
interface Position {
  readonly turn: number;
  /** Direction of the text from the station; y is positive to the south. */
  readonly side: MapPoint;
  readonly anchor: Label['anchor'];
  readonly cost: number;
}

const DIAGONAL = Math.SQRT1_2;
const positions: readonly Position[] = [
  { turn: 0, side: { x: 1, y: 0 }, anchor: 'start', cost: 0 },
  { turn: 0, side: { x: -1, y: 0 }, anchor: 'end', cost: 0.3 },
  { turn: -45, side: { x: DIAGONAL, y: -DIAGONAL }, anchor: 'start', cost: 0.9 },
  { turn: -45, side: { x: -DIAGONAL, y: DIAGONAL }, anchor: 'end', cost: 1.1 },
  { turn: 45, side: { x: DIAGONAL, y: DIAGONAL }, anchor: 'start', cost: 1.3 },
  { turn: 45, side: { x: -DIAGONAL, y: -DIAGONAL }, anchor: 'end', cost: 1.5 },
  { turn: 0, side: { x: DIAGONAL, y: -DIAGONAL }, anchor: 'start', cost: 0.7 },
  { turn: 0, side: { x: DIAGONAL, y: DIAGONAL }, anchor: 'start', cost: 0.7 },
  { turn: 0, side: { x: -DIAGONAL, y: -DIAGONAL }, anchor: 'end', cost: 0.9 },
  { turn: 0, side: { x: -DIAGONAL, y: DIAGONAL }, anchor: 'end', cost: 0.9 },
  { turn: 0, side: { x: 0, y: 1 }, anchor: 'middle', cost: 1 },
  { turn: 0, side: { x: 0, y: -1 }, anchor: 'middle', cost: 1 },
];

interface Candidate {
  readonly label: Label;
  readonly isOverLine: boolean;
  readonly position: number;
  readonly cost: number;
}

/**
 * Places names beside their stations without overlapping each other or markers, and over lines only if unavoidable:
 * most constrained first, then each moves to better positions, and a name without a position may displace another.
 */
export function placeLabels(requests: readonly LabelRequest[], bundles: readonly Bundle[]): PlacedLabels {
  const lines = new BoxIndex(TILE);
  for (const [i, { from, to, width }] of bundles.entries()) lines.add(i, boxAround(from, to, width + 2));
  const markers = new BoxIndex(TILE);
  for (const [i, { marker }] of requests.entries()) markers.add(i, markerBox(marker));
  const candidates = new Map(
    requests.map((request) => {
      const free = listCandidates(request).filter(({ label }) => markers.findOverlapping(label.box).length === 0);
      const judged = free.map((candidate) =>
        judgeCandidate(candidate, lines.findOverlapping(candidate.label.box).length),
      );
      return [request.station, judged];
    }),
  );
  return new LabelPlacer(requests, candidates).place();
}

function judgeCandidate(candidate: Candidate, lineCount: number): Candidate {
  return { ...candidate, cost: candidate.cost + lineCount * OVER_LINE_COST, isOverLine: lineCount > 0 };
}

/** Area of a marker. */
export function markerBox({ points, center, kind }: Marker): LabelBox {
  const [from, to] = [points[0] ?? center, points.at(-1) ?? center];
  const size = kind === 'interchange' ? 13 : 7;
  const box = boxAround(from, to, size);
  return { ...box, halfLength: box.halfLength + size / 2 };
}

class LabelPlacer {
  readonly #requests: readonly LabelRequest[];
  readonly #candidates: ReadonlyMap<number, readonly Candidate[]>;
  readonly #index = new BoxIndex(TILE);
  readonly #placed = new Map<number, Candidate>();
  readonly #neighbours = new Map<number, number[]>();

  constructor(requests: readonly LabelRequest[], candidates: ReadonlyMap<number, readonly Candidate[]>) {
    this.#requests = requests;
    this.#candidates = candidates;
    for (const { station, before } of requests) {
      if (before === null) continue;
      this.#neighbours.set(station, [...(this.#neighbours.get(station) ?? []), before]);
      this.#neighbours.set(before, [...(this.#neighbours.get(before) ?? []), station]);
    }
  }

  place(): PlacedLabels {
    const freedom = ({ station }: LabelRequest) =>
      this.#candidates.get(station)!.filter(({ isOverLine }) => !isOverLine).length;
    const order = [...this.#requests].sort((a, b) => freedom(a) - freedom(b) || a.station - b.station);
    for (const { station } of order) this.#settle(station);
    for (let round = 0; round < ROUNDS; round++) {
      let isBetter = false;
      for (const { station } of order) {
        if (this.#placed.has(station) ? this.#improve(station) : this.#makeRoom(station)) isBetter = true;
      }
      if (!isBetter) break;
    }
    const labels = [...this.#placed.values()].map(({ label }) => label).sort((a, b) => a.station - b.station);
    const unplaced = this.#requests.map(({ station }) => station).filter((station) => !this.#placed.has(station));
    const overLines = labels.map(({ station }) => station).filter((station) => this.#placed.get(station)!.isOverLine);
    return { labels, overLines, unplaced };
  }

  /** Puts a name at its best free position. */
  #settle(station: number): boolean {
    let best: Candidate | null = null;
    for (const candidate of this.#candidates.get(station)!) {
      if (best && this.#costOf(station, candidate) >= this.#costOf(station, best)) continue;
      if (this.#index.findOverlapping(candidate.label.box).length === 0) best = candidate;
    }
    if (best) this.#put(station, best);
    return best !== null;
  }

  #improve(station: number): boolean {
    const now = this.#placed.get(station)!;
    this.#take(station);
    this.#settle(station);
    return this.#placed.get(station) !== now;
  }

  /** Gives a name the position of another that can move elsewhere. */
  #makeRoom(station: number): boolean {
    for (const candidate of this.#candidates.get(station)!) {
      const inTheWay = this.#index.findOverlapping(candidate.label.box);
      if (inTheWay.length > 2) continue;
      const old = inTheWay.map((other) => this.#placed.get(other)!);
      for (const other of inTheWay) this.#take(other);
      this.#put(station, candidate);
      if (inTheWay.every((other) => this.#settle(other))) return true;
      for (const other of [...inTheWay, station]) this.#take(other);
      for (const [i, other] of inTheWay.entries()) this.#put(other, old[i]!);
    }
    return false;
  }

  #costOf(station: number, { position, cost }: Candidate): number {
    const others = (this.#neighbours.get(station) ?? []).map((other) => this.#placed.get(other));
    const different = others.filter((other) => other && other.position !== position).length;
    return cost + OTHER_SIDE_COST * different;
  }

  #put(station: number, candidate: Candidate): void {
    this.#placed.set(station, candidate);
    this.#index.add(station, candidate.label.box);
  }

  #take(station: number): void {
    this.#placed.delete(station);
    this.#index.remove(station);
  }
}

function listCandidates(request: LabelRequest): Candidate[] {
  const broken = breakName(request.name);
  const texts = broken ? [broken, [request.name]] : [[request.name]];
  return positions.flatMap((position, i) =>
    texts.flatMap((lines, isWhole) =>
      GAPS.map((gap, step) => ({
        label: layLabel(request, lines, position, gap),
        isOverLine: false,
        position: i,
        cost: position.cost + isWhole * WHOLE_COST + step * GAP_COST,
      })),
    ),
  );
}

function layLabel(request: LabelRequest, lines: readonly string[], position: Position, gap: number): Label {
  const { station, isImportant, marker, badges } = request;
  const { turn, side, anchor } = position;
  const textWidths = lines.map((line) => textWidth(line, FONT_SIZE) * (isImportant ? BOLD_FACTOR : 1));
  const width = Math.max(...textWidths, widthOfBadges(badges));
  const textHeight = lines.length * FONT_SIZE * LINE_HEIGHT;
  const height = textHeight + (badges.length > 0 ? BADGE_ROW : 0);
  const distance = marker.reach + gap;
  const radians = (turn * Math.PI) / 180;
  const axis = { x: Math.cos(radians), y: Math.sin(radians) };
  // Upright text above or below its station is offset by half its height, and at a corner by its nearest corner.
  const lift = turn === 0 ? Math.sign(side.y) * (height / 2) * (anchor === 'middle' ? 1 : 0.8) : 0;
  const at = { x: marker.center.x + side.x * distance, y: marker.center.y + side.y * distance + lift };
  const shift = anchor === 'start' ? width / 2 : anchor === 'end' ? -width / 2 : 0;
  const center = { x: at.x + axis.x * shift, y: at.y + axis.y * shift };
  const box = { center, axis, halfLength: width / 2 + SPACE_BETWEEN, halfHeight: height / 2 + SPACE_BETWEEN / 2 };
  return { station, lines, badges, at, anchor, turn, fontSize: FONT_SIZE, isBold: isImportant, box };
}

/** The width of a badge with the label of a line. */
export function widthOfBadge({ label }: Badge): number {
  return Math.max(BADGE_MIN_WIDTH, textWidth(label, BADGE_FONT_SIZE) * BOLD_FACTOR + 8);
}

function widthOfBadges(badges: readonly Badge[]): number {
  return badges.reduce((sum, badge) => sum + widthOfBadge(badge) + BADGE_SPACE, 0);
}

/**
 * Breaks a long name into two lines of similar length, after a space, hyphen, slash or comma; null if it stays on one.
 */
export function breakName(name: string): readonly [string, string] | null {
  if (name.length <= MAX_LINE_LETTERS) return null;
  let best: { at: number; longest: number } | null = null;
  for (let at = 3; at < name.length - 2; at++) {
    if (!/[\s\-/,]/.test(name[at - 1]!) || /[\s\-/,]/.test(name[at]!)) continue;
    const longest = Math.max(name.slice(0, at).trim().length, name.length - at);
    if (best === null || longest < best.longest) best = { at, longest };
  }
  return best && [name.slice(0, best.at).trim(), name.slice(best.at).trim()];
}
