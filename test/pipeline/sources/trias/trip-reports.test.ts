import { describe, expect, test } from 'vitest';
import { formatTimestamp, type Instant } from '../../../../pipeline/model/service-time.ts';
import { toProduct } from '../../../../pipeline/sources/trias/trip-reports.ts';
import { answeredAt, callAt, departure, normaliseParts, stopEvent } from './stop-events.ts';

const planned = '<TimetabledTime>2026-03-16T07:40:00Z</TimetabledTime>';
const onlyTrip = (event: string) => normaliseParts({ stopEvents: [event] }).trips[0];
const clock = (instant: Instant | null | undefined) =>
  instant === null || instant === undefined ? null : formatTimestamp(instant, 'Europe/Vienna').slice(11, 19);

describe('a time', () => {
  test.each([
    ['scheduled only is neither forecast nor observed', planned, ['08:40:00', null, false], []],
    ['estimated', `${planned}<EstimatedTime>2026-03-16T07:42:30Z</EstimatedTime>`, ['08:40:00', '08:42:30', false], []],
    [
      'estimated remains a forecast in the past',
      `${planned}<EstimatedTime>2026-03-16T07:20:00Z</EstimatedTime>`,
      ['08:40:00', '08:20:00', false],
      [],
    ],
    ['recorded', `${planned}<RecordedAtTime>2026-03-16T07:29:00Z</RecordedAtTime>`, ['08:40:00', '08:29:00', true], []],
    [
      'recorded at the time of the response',
      `${planned}<RecordedAtTime>2026-03-16T07:30:00Z</RecordedAtTime>`,
      ['08:40:00', '08:30:00', true],
      [],
    ],
    [
      'recorded and estimated: the recorded time counts',
      `${planned}<EstimatedTime>2026-03-16T07:41:00Z</EstimatedTime><RecordedAtTime>2026-03-16T07:28:00Z</RecordedAtTime>`,
      ['08:40:00', '08:28:00', true],
      [],
    ],
    [
      'recorded after the response is in the future',
      `${planned}<EstimatedTime>2026-03-16T07:41:00Z</EstimatedTime><RecordedAtTime>2026-03-16T07:30:01Z</RecordedAtTime>`,
      ['08:40:00', '08:41:00', false],
      ['observed_in_future'],
    ],
    [
      'with another offset',
      '<TimetabledTime>2026-03-16T08:40:00.5+01:00</TimetabledTime>',
      ['08:40:00', null, false],
      [],
    ],
    ['without an offset is rejected', '<TimetabledTime>2026-03-16T08:40:00</TimetabledTime>', null, ['bad_time']],
    ['is rejected if invalid', '<TimetabledTime>soon</TimetabledTime>', null, ['bad_time']],
    ['that is empty', '<TimetabledTime/>', null, []],
  ])('%s', (_, times, expected, codes) => {
    const update = normaliseParts({ stopEvents: [stopEvent(callAt('ThisCall', 'at:49:1', departure(times)))] });
    const report = update.trips[0]?.calls[0]?.departure;
    const reported = report ? [clock(report.scheduledTime), clock(report.time), report.isMeasured] : null;
    expect([reported, update.problems.map(({ code }) => code)]).toEqual([expected, codes]);
    expect(update.trips[0]?.calls[0]?.arrival).toBeNull();
  });

  test('is compared with the fetch time if the response has no time', () => {
    const recorded = departure('<RecordedAtTime>2026-03-16T07:31:00Z</RecordedAtTime>');
    const parts = { stopEvents: [stopEvent(callAt('ThisCall', 'at:49:1', recorded))], responseTime: null };
    const isMeasured = (fetchedAt: number) =>
      normaliseParts(parts, { fetchedAt: fetchedAt as Instant }).trips[0]?.calls[0]?.departure?.isMeasured;
    expect([isMeasured(answeredAt), isMeasured(answeredAt + 60)]).toEqual([undefined, true]);
  });
});

describe('a call', () => {
  const gleis = (name: string, text: string) => `<${name}><Text>${text}</Text></${name}>`;
  test.each([
    ['as scheduled', '', { state: 'normal', scheduledPlatform: null, platform: null }],
    ['not serviced', '<NotServicedStop>true</NotServicedStop>', { state: 'skipped' }],
    ['serviced after all', '<NotServicedStop>false</NotServicedStop>', { state: 'normal' }],
    ['unplanned', '<UnplannedStop>true</UnplannedStop>', { state: 'unplanned' }],
    [
      'unplanned and not serviced',
      '<UnplannedStop>1</UnplannedStop><NotServicedStop>1</NotServicedStop>',
      { state: 'skipped' },
    ],
    ['a bay of TRIAS', gleis('PlannedBay', 'Gleis 1'), { scheduledPlatform: '1', platform: null }],
    [
      'another bay',
      gleis('PlannedBay', '1') + gleis('EstimatedBay', 'Steig 2a'),
      { scheduledPlatform: '1', platform: '2a' },
    ],
    [
      'a quay of OJP',
      gleis('PlannedQuay', '43/44') + gleis('EstimatedQuay', '44'),
      { scheduledPlatform: '43/44', platform: '44' },
    ],
    ['a bay by its name', gleis('PlannedBay', 'Gleis'), { scheduledPlatform: 'Gleis' }],
  ])('%s', (_, content, expected) => {
    expect(onlyTrip(stopEvent(callAt('ThisCall', 'at:49:1', content)))?.calls[0]).toMatchObject(expected);
  });

  test('has calls in travel order, before and after the requested one', () => {
    const calls = [
      callAt('PreviousCall', 'at:49:1', '<StopSeqNumber>7</StopSeqNumber>'),
      callAt('ThisCall', 'at:49:2'),
      callAt('OnwardCall', 'at:49:3'),
    ];
    const trip = onlyTrip(stopEvent(calls.join('')));
    expect(trip?.calls.map(({ stop, stopSequence }) => [stop?.id, stopSequence])).toEqual([
      ['at:49:1', null],
      ['at:49:2', null],
      ['at:49:3', null],
    ]);
  });

  test('completes names and coordinates from the places, except 0/0', () => {
    const place = (ref: string, lat: string, lon: string) =>
      `<Location><StopPoint><StopPointRef>${ref}</StopPointRef><StopPointName><Text>Name ${ref}</Text></StopPointName></StopPoint>
      <GeoPosition><Longitude>${lon}</Longitude><Latitude>${lat}</Latitude></GeoPosition></Location>`;
    const calls = ['at:49:1', 'at:49:2', 'at:49:3', 'at:49:4'].map((stop) => callAt('OnwardCall', stop)).join('');
    const places = place('at:49:1', '48.2', '16.3') + place('at:49:2', '0.0', '0') + place('at:49:3', '91', '16');
    const trip = normaliseParts({ stopEvents: [stopEvent(calls)], places }).trips[0];
    expect(trip?.calls.map(({ stop }) => [stop?.idSpace, stop?.name, stop?.lat, stop?.lon])).toEqual([
      ['ifopt', 'Name at:49:1', 48.2, 16.3],
      ['ifopt', 'Name at:49:2', null, null],
      ['ifopt', 'Name at:49:3', null, null],
      ['ifopt', null, null, null],
    ]);
  });

  test('is dropped without a stop, as is a trip without calls', () => {
    const update = normaliseParts({
      stopEvents: [
        stopEvent(
          '<ThisCall><CallAtStop/></ThisCall><OnwardCall><CallAtStop><StopPointName><Text>Hof</Text></StopPointName></CallAtStop></OnwardCall>',
        ),
        stopEvent('<ThisCall><CallAtStop/></ThisCall>'),
      ],
    });
    expect(update.trips.map(({ calls }) => calls.map(({ stop }) => stop?.name))).toEqual([['Hof']]);
    expect(update.problems.map(({ code, place }) => [code, place])).toEqual([
      ['call_without_stop', 'StopEventResult 1 call 1'],
      ['call_without_stop', 'StopEventResult 2 call 1'],
      ['trip_without_calls', 'StopEventResult 2'],
    ]);
    expect(update.recordCount).toBe(2);
  });
});

describe('a trip', () => {
  const call = callAt('ThisCall', 'at:49:1', departure(planned));
  test.each([
    ['', 'scheduled'],
    ['<Deviation>true</Deviation>', 'scheduled'],
    ['<Unplanned>true</Unplanned>', 'added'],
    ['<Cancelled>true</Cancelled>', 'cancelled'],
    ['<Cancelled>false</Cancelled>', 'scheduled'],
    ['<Unplanned>true</Unplanned><Cancelled>true</Cancelled>', 'cancelled'],
    // A text about a cancellation is only text: the publisher's own mark counts.
    ['<Attribute><Text><Text>Fahrt entfällt</Text></Text><Code>x</Code></Attribute>', 'scheduled'],
  ])('%s is %s', (service, relationship) => {
    expect(onlyTrip(stopEvent(call, service))?.relationship).toBe(relationship);
  });

  test('has ids and texts for matching', () => {
    const service = `<OperatingDayRef>2026-03-15</OperatingDayRef><JourneyRef>j 7</JourneyRef><LineRef>l 2</LineRef>
      <DirectionRef>outward</DirectionRef><Mode><PtMode>tram</PtMode><Name><Text>Straßenbahn</Text></Name></Mode>
      <PublishedLineName><Text>Straßenbahn 1</Text></PublishedLineName><OriginText><Text>Ring</Text></OriginText>
      <DestinationText><Text>Hof &amp; Garten</Text></DestinationText>`;
    expect(onlyTrip(stopEvent(call, service))).toMatchObject({
      originName: 'Ring',
      isSpecial: false,
      vehicleId: null,
      trip: {
        tripId: 'j 7',
        routeId: 'l 2',
        directionId: null,
        startDate: '2026-03-15',
        startTime: null,
        lineLabel: '1',
        product: 'tram',
        operatorName: null,
        headsign: 'Hof & Garten',
      },
    });
  });

  test.each([
    ['2026-03-15', '2026-03-15', []],
    ['2026-03-15+01:00', '2026-03-15', []],
    ['2026-02-30', null, ['bad_date']],
    ['today', null, ['bad_date']],
  ])('on the service date %s', (day, startDate, codes) => {
    const update = normaliseParts({ stopEvents: [stopEvent(call, `<OperatingDayRef>${day}</OperatingDayRef>`)] });
    expect([update.trips[0]?.trip.startDate, update.problems.map(({ code }) => code)]).toEqual([startDate, codes]);
  });
});

describe('a trip in two reports', () => {
  const service = '<OperatingDayRef>2026-03-16</OperatingDayRef><JourneyRef>ring</JourneyRef>';
  const at = (minute: number, more = '') =>
    departure(`<TimetabledTime>2026-03-16T07:${minute}:00Z</TimetabledTime>${more}`);
  const reported = (events: readonly string[]) => {
    const { trips, problems, recordCount } = normaliseParts({ stopEvents: events });
    const calls = trips.map((trip) => trip.calls.map((call) => [call.stop?.id, clock(call.departure?.scheduledTime)]));
    return { calls, codes: problems.map(({ code }) => code), recordCount };
  };

  test('that calls twice at the stop has both calls, by time', () => {
    const events = [
      stopEvent(callAt('ThisCall', 'at:49:1', at(50)), service),
      stopEvent(callAt('ThisCall', 'at:49:1', at(35)), service),
    ];
    expect(reported(events)).toEqual({
      calls: [
        [
          ['at:49:1', '08:35:00'],
          ['at:49:1', '08:50:00'],
        ],
      ],
      codes: ['repeated_trip'],
      recordCount: 2,
    });
  });

  test('with equal calls has each once, completed from both', () => {
    const events = [
      stopEvent(callAt('ThisCall', 'at:49:1', at(35)) + callAt('OnwardCall', 'at:49:2', at(40)), service),
      stopEvent(
        callAt('PreviousCall', 'at:49:1', at(35)) +
          callAt('ThisCall', 'at:49:2', `${at(40)}<NotServicedStop>true</NotServicedStop>`),
        `${service}<Cancelled>true</Cancelled>`,
      ),
    ];
    const { trips } = normaliseParts({ stopEvents: events });
    expect(trips).toMatchObject([{ relationship: 'cancelled', calls: [{ state: 'normal' }, { state: 'skipped' }] }]);
  });

  test('on another service date or without an id is another trip', () => {
    const other = service.replace('03-16', '03-17');
    const call = callAt('ThisCall', 'at:49:1', at(35));
    expect(
      reported([stopEvent(call, service), stopEvent(call, other), stopEvent(call), stopEvent(call)]).calls,
    ).toHaveLength(4);
  });
});

test.each([
  ['rail', 'regionalRail', 'S1', 'sBahn'],
  ['rail', 'regionalRail', 'RB30', 'regionalTrain'],
  ['rail', 'local', 'S11', 'sBahn'],
  ['rail', 'local', 'R42', 'regionalTrain'],
  ['rail', 'highSpeedRail', 'IC5', 'train'],
  ['rail', 'suburbanRailway', null, 'sBahn'],
  ['railwayService', null, 'RJX 168', 'train'],
  ['rail', null, null, 'train'],
  ['bus', 'localBus', '400', 'cityBus'],
  ['bus', 'regionalBus', '7', 'regionalBus'],
  ['bus', null, 'N8', 'nightBus'],
  ['bus', null, '13A', 'cityBus'],
  ['bus', 'somethingNew', '360', 'regionalBus'],
  ['trolleyBus', null, null, 'cityBus'],
  ['metro', 'metro', 'U1', 'subway'],
  ['tram', 'cityTram', '1', 'tram'],
  ['water', null, null, 'ship'],
  ['funicular', 'funicular', null, 'cableway'],
  ['taxi', null, null, 'other'],
  ['unknown', null, '7', null],
  ['constructor', 'toString', '7', null],
  [null, null, '7', null],
])('the product of %s, %s, line %s is %s', (ptMode, submode, line, product) => {
  expect(toProduct({ ptMode, submode }, line)).toBe(product);
});
