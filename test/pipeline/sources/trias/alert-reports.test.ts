import { describe, expect, test } from 'vitest';
import { callAt, normaliseParts, stopEvent } from './stop-events.ts';

const situation = (content: string, number = '7') =>
  `<PtSituation><ParticipantRef>p</ParticipantRef><SituationNumber>${number}</SituationNumber>${content}</PtSituation>`;
const summary = '<Summary>Umleitung</Summary>';
const onlyAlert = (content: string) => normaliseParts({ situations: [situation(content)] }).alerts[0];

test.each([
  ['nothing', '', { kind: 'information', priority: 50, category: null, isAccess: false }],
  ['unknown', '<UnknownReason>unknown</UnknownReason>', { kind: 'information', category: null }],
  [
    'works',
    '<MiscellaneousReason>constructionWork</MiscellaneousReason>',
    { kind: 'construction', category: 'constructionWork' },
  ],
  ['works, SIRI 2.1', '<AlertCause>roadworks</AlertCause>', { kind: 'construction' }],
  ['a fire', '<MiscellaneousReason>fire</MiscellaneousReason>', { kind: 'emergency' }],
  ['a lift', '<EquipmentReason>liftFailure</EquipmentReason>', { kind: 'information', isAccess: true }],
  ['an unknown reason', '<PersonnelReason>toString</PersonnelReason>', { kind: 'information', category: 'toString' }],
  [
    'cancellations',
    '<Consequences><Consequence><Condition>cancelled</Condition></Consequence></Consequences>',
    { kind: 'cancellation' },
  ],
  [
    'buses replacing trains during works',
    '<MiscellaneousReason>constructionWork</MiscellaneousReason><Consequences><Consequence><Condition>delayed</Condition></Consequence><Consequence><Condition>replacementTransport</Condition></Consequence></Consequences>',
    { kind: 'replacementService' },
  ],
  ['an end', '<Progress>closing</Progress>', { kind: 'allClear' }],
  ['a severity', '<Severity>verySevere</Severity><Priority>3</Priority>', { priority: 0 }],
  ['an unknown severity', '<Severity>unknown</Severity><Priority>1</Priority>', { priority: 0 }],
  ['priority 3', '<Priority>3</Priority>', { priority: 50 }],
  ['priority 9', '<Priority>9</Priority>', { priority: 100 }],
  ['an invalid priority', '<Priority>hoch</Priority>', { priority: 50 }],
])('has the kind and priority of %s', (_, content, expected) => {
  expect(onlyAlert(summary + content)).toMatchObject(expected);
});

describe('texts', () => {
  test.each([
    ['only a title', summary, ['Umleitung', '']],
    [
      'all of them, cleaned',
      `${summary}<Description>A</Description><Detail>&lt;p&gt;B &amp;amp; C&lt;/p&gt;</Detail><Advice>D</Advice>`,
      ['Umleitung', 'A\nB & C\nD'],
    ],
    [
      'none twice',
      `${summary}<Description>Umleitung</Description><Detail>A</Detail><Advice>A</Advice>`,
      ['Umleitung', 'A'],
    ],
    ['the first in place of a missing title', '<Detail>A</Detail><Advice>B</Advice>', ['A', 'B']],
    [
      'German before others',
      '<Summary xml:lang="en">Detour</Summary><Summary xml:lang="de">Umleitung</Summary>',
      ['Umleitung', ''],
    ],
  ])('%s', (_, content, [title, text]) => {
    expect(onlyAlert(content)).toMatchObject({ title, text });
  });

  test('are required: a situation without any is dropped and counted', () => {
    const update = normaliseParts({ situations: [situation('<Detail>&lt;br/&gt;</Detail>')] });
    expect([update.alerts, update.recordCount]).toEqual([[], 1]);
    expect(update.problems).toEqual([
      { code: 'situation_without_text', source: 'trias', place: 'PtSituation 1', detail: 'p:7' },
    ]);
  });
});

test.each([
  ['<Progress>draft</Progress>', 'situation_draft'],
  ['<Progress>closed</Progress>', 'situation_closed'],
  ['<Reality>test</Reality>', 'situation_not_real'],
])('%s is dropped and counted', (content, code) => {
  const update = normaliseParts({ situations: [situation(summary + content)] });
  expect([update.alerts, update.problems.map((problem) => problem.code)]).toEqual([[], [code]]);
});

test('uses the newest of several versions', () => {
  const versions = ['1', '10', '9'].map((version) =>
    situation(`<Version>${version}</Version><Summary>Version ${version}</Summary>`),
  );
  const update = normaliseParts({ situations: [...versions, situation(summary, '8')] });
  expect(update.alerts.map(({ id, title }) => [id, title])).toEqual([
    ['p:7', 'Version 10'],
    ['p:8', 'Umleitung'],
  ]);
  expect(update.problems.map(({ code }) => code)).toEqual(['repeated_situation', 'repeated_situation']);
});

test('reads periods, links and affected subjects', () => {
  const alert = onlyAlert(`${summary}
    <ValidityPeriod><StartTime>2026-03-16T05:00:00+01:00</StartTime></ValidityPeriod>
    <ValidityPeriod><StartTime>2026-03-17T04:00:00Z</StartTime><EndTime>2026-03-17T22:00:00Z</EndTime></ValidityPeriod>
    <InfoLinks><InfoLink><Uri>https://sample.example/a</Uri><Label>Mehr</Label></InfoLink>
      <InfoLink><Uri>http://sample.example/b</Uri></InfoLink>
      <InfoLink><Uri>javascript:alert(1)</Uri></InfoLink></InfoLinks>
    <Affects>
      <Operators><AffectedOperator><OperatorName>Sample Lines</OperatorName></AffectedOperator></Operators>
      <Networks><AffectedNetwork><AffectedLine><LineRef>l</LineRef><PublishedLineName>1</PublishedLineName></AffectedLine></AffectedNetwork></Networks>
      <StopPoints><AffectedStopPoint><StopPointRef>at:49:1</StopPointRef><StopPointName>Hof</StopPointName></AffectedStopPoint></StopPoints>
      <StopPlaces><AffectedStopPlace><StopPlaceRef>at:49:2</StopPlaceRef></AffectedStopPlace></StopPlaces>
      <VehicleJourneys><AffectedVehicleJourney><DatedVehicleJourneyRef>j</DatedVehicleJourneyRef></AffectedVehicleJourney></VehicleJourneys>
    </Affects>`);
  expect(alert).toMatchObject({
    id: 'p:7',
    activeWindows: [
      { from: Date.UTC(2026, 2, 16, 4) / 1000, to: null },
      { from: Date.UTC(2026, 2, 17, 4) / 1000, to: Date.UTC(2026, 2, 17, 22) / 1000 },
    ],
    links: [
      { url: 'https://sample.example/a', title: 'Mehr' },
      { url: 'http://sample.example/b', title: 'http://sample.example/b' },
    ],
    operatorName: 'Sample Lines',
    lines: [{ label: '1', routeId: 'l' }],
    stops: [
      { id: 'at:49:1', idSpace: 'ifopt', name: 'Hof' },
      { id: 'at:49:2', idSpace: 'ifopt', name: null },
    ],
    trips: [{ tripId: 'j' }],
  });
});

describe('applies a situation without subjects to the services that refer to it', () => {
  const service = `<JourneyRef>j</JourneyRef><LineRef>l</LineRef><PublishedLineName><Text>1</Text></PublishedLineName>
    <SituationFullRef><ParticipantRef>p</ParticipantRef><SituationNumber>7</SituationNumber></SituationFullRef>`;
  const stopEvents = ['at:49:1', 'at:49:2'].map((stop) => stopEvent(callAt('ThisCall', stop), service));

  test.each([
    ['', 1, 0],
    ['<ScopeType>line</ScopeType>', 1, 0],
    ['<ScopeType>stopPoint</ScopeType>', 0, 1],
    ['<ScopeType>vehicleJourney</ScopeType>', 0, 1],
  ])('%s', (scope, lines, trips) => {
    const [alert] = normaliseParts({ stopEvents, situations: [situation(summary + scope)] }).alerts;
    expect([alert?.lines.length, alert?.trips.length]).toEqual([lines, trips]);
  });
});

test('ignores situations if configured, but counts them as records', () => {
  const update = normaliseParts({ situations: [situation(summary)] }, { includeSituations: false });
  expect([update.alerts, update.recordCount]).toEqual([[], 1]);
});
