import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { createTriasSource, type TriasOptions } from '../../../../pipeline/sources/trias/trias-source.ts';
import { findElement, parseXmlText, textAt, type XmlElement } from '../../../../pipeline/sources/trias/xml.ts';

const now = parseTimestamp('2026-03-16T07:30:00Z')!;
const base: TriasOptions = {
  kind: 'trias',
  url: 'https://sample.example/trias',
  requestorRef: 'me',
  stops: ['at:49:1'],
};

/** The request for stop events inside of the only document that a source sends. */
function requestOf(options: TriasOptions): XmlElement {
  const body = createTriasSource(options).listRequests(now)[0]?.body ?? '';
  const root = parseXmlText(body);
  const request =
    findElement(root, 'ServiceRequest', 'RequestPayload', 'StopEventRequest') ??
    findElement(root, 'OJPRequest', 'ServiceRequest', 'OJPStopEventRequest');
  if (!request) throw new Error(`no request in ${body}`);
  return request;
}

const paramsOf = (options: TriasOptions) =>
  Object.fromEntries(findElement(requestOf(options), 'Params')?.children.map(({ name, text }) => [name, text]) ?? []);

describe('requests', () => {
  test('are one per stop, with a stable part name', () => {
    const source = createTriasSource({
      ...base,
      stops: ['at:49:1', 'at:49:2'],
      headers: { authorization: 'Bearer k' },
      intervalSeconds: 90,
    });
    expect(source.listRequests(now)).toMatchObject([
      {
        part: 'stop-event-1',
        method: 'POST',
        url: 'https://sample.example/trias',
        headers: { 'content-type': 'text/xml; charset=utf-8', authorization: 'Bearer k' },
        intervalSeconds: 90,
        extension: 'xml',
      },
      { part: 'stop-event-2' },
    ]);
  });

  test.each([
    [
      'TRIAS 1.2',
      {},
      '<trias:Trias xmlns:siri="http://www.siri.org.uk/siri" xmlns:trias="http://www.vdv.de/trias" version="1.2">',
    ],
    [
      'TRIAS 1.1',
      { version: '1.1' },
      '<trias:Trias xmlns:siri="http://www.siri.org.uk/siri" xmlns:trias="http://www.vdv.de/trias" version="1.1">',
    ],
    [
      'OJP 1.0',
      { kind: 'ojp', version: '1.0' },
      '<siri:OJP xmlns:siri="http://www.siri.org.uk/siri" xmlns:ojp="http://www.vdv.de/ojp" version="1.0"><siri:OJPRequest><siri:ServiceRequest>',
    ],
    [
      'OJP 2.0',
      { kind: 'ojp' },
      '<OJP xmlns="http://www.vdv.de/ojp" xmlns:siri="http://www.siri.org.uk/siri" version="2.0"><OJPRequest><siri:ServiceRequest>',
    ],
  ] satisfies [string, Partial<TriasOptions>, string][])('in %s', (_, options, opening) => {
    const body = createTriasSource({ ...base, ...options }).listRequests(now)[0]?.body;
    expect(body).toContain(`<?xml version="1.0" encoding="UTF-8"?>\n${opening}`);
    const request = requestOf({ ...base, ...options });
    expect(textAt(request, 'RequestTimestamp')).toBe('2026-03-16T07:30:00Z');
    expect(textAt(request, 'Location', 'DepArrTime')).toBe('2026-03-16T07:30:00Z');
    expect(body).toContain('<siri:RequestorRef>me</siri:RequestorRef>');
  });

  test('include other calls if configured', () => {
    expect(paramsOf({ ...base, numberOfResults: 7 })).toEqual({
      StopEventType: 'departure',
      IncludePreviousCalls: 'true',
      IncludeOnwardCalls: 'true',
      IncludeOperatingDays: 'false',
      IncludeRealtimeData: 'true',
      NumberOfResults: '7',
    });
    expect(paramsOf({ ...base, kind: 'ojp', includeCalls: false, includeSituations: false })).toEqual({
      NumberOfResults: '20',
      StopEventType: 'departure',
      IncludePreviousCalls: 'false',
      IncludeOnwardCalls: 'false',
      IncludeOperatingDays: 'false',
      UseRealtimeData: 'full',
      IncludePlacesContext: 'true',
      IncludeSituationsContext: 'false',
    });
    expect(Object.keys(paramsOf({ ...base, kind: 'ojp', version: '1.0' }))).not.toContain('IncludeSituationsContext');
  });

  test.each([
    ['trias', 'at:49:1', 'LocationRef', 'StopPointRef'],
    ['trias', 'at:49:1:0:2', 'LocationRef', 'StopPointRef'],
    ['ojp', 'at:49:1', 'PlaceRef', 'StopPlaceRef'],
    ['ojp', '8503000', 'PlaceRef', 'StopPlaceRef'],
    ['ojp', 'at:49:1:0:2', 'PlaceRef', 'StopPointRef'],
  ] as const)('%s names %s in a %s as %s', (kind, stop, place, ref) => {
    expect(textAt(requestOf({ ...base, kind, stops: [stop] }), 'Location', place, ref)).toBe(stop);
  });

  test('omit the requestor if none is configured', () => {
    expect(createTriasSource({ ...base, requestorRef: null }).listRequests(now)[0]?.body).not.toContain('RequestorRef');
  });

  test('are well-formed for any stop id', () => {
    const nasty = fc.oneof(
      fc.constantFrom('</trias:StopPointRef><x>', `"'&<>`, ']]>', '<!DOCTYPE a>', '&amp;', '\u0000'),
      fc.string({ unit: 'grapheme', minLength: 1 }),
    );
    fc.assert(
      fc.property(nasty, fc.constantFrom('trias', 'ojp'), (stop, kind) => {
        const place = findElement(requestOf({ ...base, kind, stops: [stop], requestorRef: stop }), 'Location');
        expect(place?.children[0]?.children[0]?.text).toBe(stop.replace('\u0000', '\ufffd'));
      }),
    );
  });

  test.each([
    ['trias', '2.0'],
    ['ojp', '1.2'],
  ] as const)('%s has no version %s', (kind, version) => {
    expect(() => createTriasSource({ ...base, kind, version })).toThrow(RangeError);
  });
});

test('has default facts that suit most publishers', () => {
  expect(createTriasSource(base).facts).toMatchObject({ kind: 'trias', archive: 'full', maxAgeSeconds: 180 });
  const own = createTriasSource({ ...base, kind: 'ojp', facts: { archive: 'none', dailyBudget: 500 } }).facts;
  expect(own).toMatchObject({ kind: 'ojp', archive: 'none', dailyBudget: 500, zone: 'Europe/Vienna' });
});

test('uses the size limit of the facts', () => {
  const source = createTriasSource({ ...base, facts: { maxBytes: 10 } });
  const parse = () =>
    source.parse(new TextEncoder().encode('<Trias version="1.2"/>'), source.listRequests(now)[0]!, now);
  expect(parse).toThrow('at most 10 are read');
});
