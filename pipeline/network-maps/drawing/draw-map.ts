import { buildNetwork } from './build-network.ts';
import type { MapChoice } from './choose-maps.ts';
import { type DrawingSizes, drawLines, type LineDrawing } from './draw-lines.ts';
import { type Layout, type LayoutKind, layOut } from './lay-out.ts';
import type { MapNetwork, MapRun } from './map-network.ts';
import { type MapLanguage, mapTexts } from './map-texts.ts';
import type { DrawnPlace } from './merge-places.ts';
import { type LineOrders, orderLines } from './order-lines.ts';
import { type Badge, type Label, type LabelRequest, type PlacedLabels, placeLabels } from './place-labels.ts';
import { type LegendEntry, renderSvg } from './render-svg.ts';

interface MapNotes {
  readonly language: MapLanguage;
  /** First day of the timetable, as 2026-12-13; null: unknown. */
  readonly validFrom: string | null;
  /** Whom to credit; null: unknown. */
  readonly attribution: string | null;
}

export interface DrawnMap {
  readonly svg: string;
  readonly layoutKind: LayoutKind;
  readonly network: MapNetwork;
  readonly layout: Layout;
  readonly drawing: LineDrawing;
  readonly labels: readonly Label[];
  /** Stations without a placed name even on the largest drawing. */
  readonly unlabelled: readonly number[];
}

/** Share of names that may overlap a line before the whole drawing is enlarged. */
const MAX_OVER_LINES = 0.04;
/** Unit sizes in pixels, tried until the names fit well. */
const CELLS = [22, 25, 29, 34, 40, 47, 55, 64];
/** Minimum unit size in widths of the widest bundle. */
const MIN_CELL_PER_BUNDLE = 1.1;
/** The wider the widest bundle, the thinner its lines. */
const LINE_SIZES = [
  { maxLines: 3, lineWidth: 7, pitch: 8.6 },
  { maxLines: 6, lineWidth: 5.4, pitch: 6.7 },
  { maxLines: Number.POSITIVE_INFINITY, lineWidth: 4, pitch: 5 },
];
/** A path with at least this share of a label's trips has a badge at its ends. */
const MIN_SHARE_OF_LABEL = 0.2;
/** Maximum badges; more would be longer than most names. */
const MAX_BADGES = 6;

/** Draws a map; equal inputs give equal bytes. */
export function drawMap(choice: MapChoice, places: readonly DrawnPlace[], notes: MapNotes): DrawnMap {
  const network = buildNetwork(choice.lines, places);
  const layout = layOut(network);
  const orders = orderLines(layout.schematic, sortClockwise(layout));
  const { drawing, labels, unplaced, sizes } = fitLabels(network, layout, orders, choice.region);
  const texts = mapTexts[notes.language];
  const isSchematic = layout.kind === 'octilinear';
  const credits = notes.attribution === null ? [] : [`${texts.data}: ${notes.attribution}`];
  const svg = renderSvg({
    lines: network.lines,
    drawing,
    labels,
    sizes,
    legend: describeLines(network, choice.region),
    caption: {
      title: choice.title,
      subtitle: [
        ...(notes.validFrom === null ? [] : [texts.validFrom(notes.validFrom)]),
        ...(isSchematic ? [texts.octilinear, texts.notToScale] : [texts.geographic]),
      ].join(' · '),
      legendTitle: texts.lines,
      notes: credits,
      language: notes.language,
    },
  });
  return { svg, layoutKind: layout.kind, network, layout, drawing, labels, unlabelled: unplaced };
}

/** The smallest drawing on which the names fit well, else the one with the most names. */
function fitLabels(network: MapNetwork, layout: Layout, orders: LineOrders, region: string) {
  const widest = Math.max(...orders.map((order) => order.length));
  const { lineWidth, pitch } = LINE_SIZES.find(({ maxLines }) => widest <= maxLines)!;
  const requests = listRequests(network, layout, region);
  const least = widest * pitch * MIN_CELL_PER_BUNDLE;
  let best: (PlacedLabels & { drawing: LineDrawing; sizes: DrawingSizes }) | null = null;
  const cost = ({ unplaced, overLines }: PlacedLabels) => 10 * unplaced.length + overLines.length;
  for (const cell of CELLS.filter((size) => size >= least || size === CELLS.at(-1))) {
    const sizes = { cell, lineWidth, pitch };
    const drawing = drawLines(network, layout, orders, sizes);
    const markers = new Map(drawing.markers.map((marker) => [marker.station, marker]));
    const placed = placeLabels(
      requests.map((request) => ({ ...request, marker: markers.get(request.station)! })),
      drawing.bundles,
    );
    if (best === null || cost(placed) < cost(best)) best = { ...placed, drawing, sizes };
    if (cost(best) <= MAX_OVER_LINES * network.stations.length) break;
  }
  return best!;
}

function listRequests(network: MapNetwork, { schematic }: Layout, region: string): Omit<LabelRequest, 'marker'>[] {
  const badges = listBadges(network);
  const before = new Map<number, number>();
  for (const { from, inner } of schematic.edges) {
    for (const [i, station] of inner.entries()) {
      const previous = inner[i - 1] ?? schematic.nodes[from]!.station;
      if (previous >= 0) before.set(station, previous);
    }
  }
  const junctions = new Set(schematic.nodes.flatMap(({ station, isBend }) => (isBend ? [] : [station])));
  return network.stations.map(({ name }, station) => ({
    station,
    name: shortName(name, region),
    isImportant: junctions.has(station),
    before: before.get(station) ?? null,
    badges: badges.get(station) ?? [],
  }));
}

/** By station: the lines with many trips that end there. */
function listBadges({ runs, lines }: MapNetwork): ReadonlyMap<number, readonly Badge[]> {
  const trips = new Map<string, number>();
  const keyOf = ({ line, label }: MapRun) => `${line} ${label}`;
  for (const run of runs) trips.set(keyOf(run), (trips.get(keyOf(run)) ?? 0) + run.datedTrips);
  const badges = new Map<number, Badge[]>();
  const ending = new Map<string, number>();
  for (const run of runs) {
    for (const station of [run.stations[0]!, run.stations.at(-1)!]) {
      const key = `${keyOf(run)} ${station}`;
      const before = ending.get(key) ?? 0;
      const least = MIN_SHARE_OF_LABEL * trips.get(keyOf(run))!;
      ending.set(key, before + run.datedTrips);
      if (before >= least || before + run.datedTrips < least) continue;
      const known = badges.get(station) ?? [];
      if (known.length < MAX_BADGES)
        badges.set(station, [...known, { label: run.label, color: lines[run.line]!.color }]);
    }
  }
  return badges;
}

/** A name without the town of the map. */
export function shortName(name: string, region: string): string {
  const plain = name.replace(/\s+/g, ' ').trim();
  const isPrefixed = plain.startsWith(`${region} `) || plain.startsWith(`${region}, `);
  const rest = isPrefixed ? plain.slice(region.length + 1).trim() : plain;
  // "Wien Hbf" stays: "Hbf" alone is not a name.
  return /^(Hbf|Hauptbahnhof|Bahnhof|Bhf|Bf)\b/.test(rest) || rest.length < 3 ? plain : rest;
}

/** By node: its edges clockwise on the drawing. */
export function sortClockwise({ schematic, nodes, paths }: Layout): number[][] {
  return nodes.map(({ x, y }, node) => {
    const around = schematic.edges.flatMap(({ from, to }, edge) => (from === node || to === node ? [edge] : []));
    const angle = (edge: number) => {
      const path = paths[edge]!;
      const next = schematic.edges[edge]!.from === node ? path[1]! : path.at(-2)!;
      return Math.atan2(next.y - y, next.x - x);
    };
    return around.sort((a, b) => angle(a) - angle(b) || a - b);
  });
}

/** The ends of each line. */
function describeLines({ lines, runs, stations }: MapNetwork, region: string): LegendEntry[] {
  return lines.map((_, line) => {
    const [main] = runs.filter((run) => run.line === line);
    const ends = main ? [main.stations[0]!, main.stations.at(-1)!] : [];
    return { line, text: [...new Set(ends)].map((station) => shortName(stations[station]!.name, region)).join(' – ') };
  });
}
