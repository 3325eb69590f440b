import type { RecordProblem } from '../../model/problem.ts';
import { UnreadableAnswer } from '../../model/problem.ts';
import { findNumber, findText, getObject, isJsonObject, type JsonObject, listItems } from '../json-answer.ts';
import { readNotices } from './parse-notices.ts';
import type { RawDeparture, RawLine, RawMonitorAnswer, RawMonitorLine, RawStop } from './raw-records.ts';
import { readAnswer } from './read-answer.ts';

interface Found {
  readonly lines: RawMonitorLine[];
  readonly problems: RecordProblem[];
}

/**
 * Parses an answer of `monitor`, traffic information within it included. An invalid monitor, line or departure is
 * dropped alone, and counts as one record and one problem.
 * @throws UnreadableAnswer for any other document, see `readAnswer`
 */
export function parseMonitorAnswer(bytes: Uint8Array, source: string): RawMonitorAnswer {
  const { data, serverTime } = readAnswer(bytes, { needsMessage: true });
  if (!Array.isArray(data.monitors)) throw new UnreadableAnswer('foreign_format', 'an answer without monitors');
  const found: Found = { lines: [], problems: [] };
  data.monitors.forEach((monitor, i) => {
    readMonitor(monitor, { source, place: `monitors[${i}]` }, found);
  });
  const notices = readNotices(data, 'trafficInfos', source);
  const departureCount = found.lines.reduce((count, { departures }) => count + departures.length, 0);
  return {
    serverTime,
    lines: found.lines,
    notices: notices.records,
    recordCount: departureCount + found.problems.length + notices.records.length + notices.problems.length,
    problems: [...found.problems, ...notices.problems],
  };
}

interface Place {
  readonly source: string;
  readonly place: string;
}

function readMonitor(monitor: unknown, at: Place, found: Found): void {
  if (!isJsonObject(monitor)) {
    found.problems.push({ code: 'not_an_object', ...at, detail: 'a monitor' });
    return;
  }
  const stop = readStop(getObject(monitor, 'locationStop'));
  if (stop.diva === undefined && stop.rbl === undefined) {
    found.problems.push({ code: 'monitor_without_stop', ...at, detail: stop.title ?? '' });
    return;
  }
  listItems(monitor, 'lines').forEach((line, i) => {
    readMonitorLine(line, stop, { ...at, place: `${at.place}.lines[${i}]` }, found);
  });
}

function readStop(locationStop: JsonObject): RawStop {
  const properties = getObject(locationStop, 'properties');
  // GeoJSON: longitude first.
  const [lon, lat] = listItems(getObject(locationStop, 'geometry'), 'coordinates');
  return {
    diva: findText(properties, 'name'),
    rbl: findText(getObject(properties, 'attributes'), 'rbl'),
    title: findText(properties, 'title'),
    gate: findText(properties, 'gate'),
    lat: findNumber({ lat }, 'lat'),
    lon: findNumber({ lon }, 'lon'),
  };
}

function readMonitorLine(line: unknown, stop: RawStop, at: Place, found: Found): void {
  if (!isJsonObject(line)) {
    found.problems.push({ code: 'not_an_object', ...at, detail: 'a line' });
    return;
  }
  const departures: RawDeparture[] = [];
  const list = isJsonObject(line.departures) ? listItems(line.departures, 'departure') : listItems(line, 'departures');
  list.forEach((departure, i) => {
    const place = `${at.place}.departure[${i}]`;
    if (isJsonObject(departure)) departures.push(readDeparture(departure, place));
    else found.problems.push({ code: 'not_an_object', source: at.source, place, detail: 'a departure' });
  });
  found.lines.push({ stop, line: readLine(line), departures });
}

function readDeparture(departure: JsonObject, place: string): RawDeparture {
  const times = getObject(departure, 'departureTime');
  return {
    place,
    timePlanned: findText(times, 'timePlanned'),
    timeReal: findText(times, 'timeReal'),
    vehicle: isJsonObject(departure.vehicle) ? readLine(departure.vehicle) : undefined,
  };
}

function readLine(line: JsonObject): RawLine {
  return {
    name: findText(line, 'name'),
    towards: findText(line, 'towards'),
    direction: findText(line, 'direction'),
    platform: findText(line, 'platform'),
    type: findText(line, 'type'),
  };
}
