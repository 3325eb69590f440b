import { describe, expect, test } from 'vitest';
import { UnreadableAnswer } from '../../../../pipeline/model/problem.ts';
import { parseAnswer } from '../../../../pipeline/sources/trias/parse-answer.ts';

function parse(xml: string) {
  return parseAnswer(new TextEncoder().encode(xml), 'trias');
}

/** The result of a response: its records and the codes of its problems, or the code and text of the rejection. */
function outcomeOf(xml: string): unknown {
  try {
    const { recordCount, problems } = parse(xml);
    return [recordCount, problems.map(({ code, detail }) => `${code}: ${detail}`)];
  } catch (error) {
    if (error instanceof UnreadableAnswer) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const trias = (payload: string) =>
  `<Trias version="1.2"><ServiceDelivery><Status>true</Status><DeliveryPayload>${payload}</DeliveryPayload></ServiceDelivery></Trias>`;
const ojp = (content: string) =>
  `<OJP version="2.0"><OJPResponse><ServiceDelivery>${content}</ServiceDelivery></OJPResponse></OJP>`;
const errorMessage = (code: string) =>
  `<ErrorMessage><Code>-1</Code><Text><Text>${code}</Text><Language>de</Language></Text></ErrorMessage>`;
const call = '<CallAtStop><StopPointRef>at:49:1</StopPointRef></CallAtStop>';
const stopEvent = `<StopEventResult><StopEvent><ThisCall>${call}</ThisCall><Service/></StopEvent></StopEventResult>`;

describe('envelopes', () => {
  test.each([
    ['another root', '<Siri/>', 'foreign_xml: the root is "Siri", neither Trias nor OJP'],
    [
      'a request in TRIAS',
      '<Trias><ServiceRequest/></Trias>',
      'request_document: the document is a request, not an answer',
    ],
    ['a request in OJP', '<OJP><OJPRequest/></OJP>', 'request_document: the document is a request, not an answer'],
    ['no delivery', '<Trias version="1.2"/>', 'no_delivery: the answer delivers no known payload'],
    ['an empty delivery', trias(''), 'no_delivery: the answer delivers no known payload'],
    ['an answer to something else', trias('<FaresResponse/>'), 'no_delivery: the answer delivers no known payload'],
    ['an empty list', trias('<StopEventResponse/>'), [0, []]],
    ['one stop event', trias(`<StopEventResponse>${stopEvent}</StopEventResponse>`), [1, []]],
    ['one of OJP', ojp(`<OJPStopEventDelivery>${stopEvent}</OJPStopEventDelivery>`), [1, []]],
  ])('%s', (_, xml, outcome) => {
    expect(outcomeOf(xml)).toEqual(outcome);
  });
});

describe('errors', () => {
  test.each([
    [
      'nothing departs',
      trias(`<StopEventResponse>${errorMessage('STOPEVENT_NOEVENTFOUND')}</StopEventResponse>`),
      [0, []],
    ],
    [
      'nothing departs, and the status is false for it',
      ojp(
        '<OJPStopEventDelivery><Status>false</Status><ErrorCondition><OtherError/><Description>STOPEVENT_NOEVENTFOUND</Description></ErrorCondition></OJPStopEventDelivery>',
      ),
      [0, []],
    ],
    [
      'nothing departs, OJP 2.0',
      ojp(
        '<OJPStopEventDelivery><ErrorCondition><StopEventProblemType>STOPEVENT_NOEVENTFOUND</StopEventProblemType></ErrorCondition></OJPStopEventDelivery>',
      ),
      [0, []],
    ],
    [
      'an unknown stop',
      trias(`<StopEventResponse>${errorMessage('STOPEVENT_LOCATIONUNKNOWN')}</StopEventResponse>`),
      'upstream_error: -1 STOPEVENT_LOCATIONUNKNOWN',
    ],
    [
      'a wrong key',
      '<Trias><ServiceDelivery><Status>false</Status><ErrorCondition><AccessNotAllowedError/></ErrorCondition></ServiceDelivery></Trias>',
      'upstream_error: AccessNotAllowedError',
    ],
    ['only a status', ojp('<Status>false</Status><OJPStopEventDelivery/>'), 'upstream_error: status false'],
    [
      'one of two errors is empty',
      trias(
        `<StopEventResponse>${errorMessage('STOPEVENT_NOEVENTFOUND')}${errorMessage('SYSTEM')}</StopEventResponse>`,
      ),
      'upstream_error: -1 SYSTEM',
    ],
    [
      'an error beside results is only reported',
      trias(`<StopEventResponse>${errorMessage('STOPEVENT_NOREALTIME')}${stopEvent}</StopEventResponse>`),
      [1, ['upstream_notice: -1 STOPEVENT_NOREALTIME']],
    ],
    [
      'an error of one result as well',
      trias(
        `<StopEventResponse>${stopEvent.replace('<StopEvent>', `${errorMessage('STOPEVENT_OTHER')}<StopEvent>`)}</StopEventResponse>`,
      ),
      [1, ['upstream_notice: -1 STOPEVENT_OTHER']],
    ],
  ])('%s', (_, xml, outcome) => {
    expect(outcomeOf(xml)).toEqual(outcome);
  });
});

describe('records', () => {
  const answer = (results: string, context = '') =>
    trias(`<StopEventResponse>${context}${results}</StopEventResponse>`);
  const withoutService = stopEvent.replace('<Service/>', '');
  const withoutCalls = stopEvent.replace(/<ThisCall>.*<\/ThisCall>/, '');
  const situations = (...list: string[]) =>
    `<StopEventResponseContext><Situations>${list.join('')}</Situations></StopEventResponseContext>`;

  test.each([
    ['a stop event without a service', answer(withoutService + stopEvent), [2, ['trip_without_service: left out']]],
    ['a stop event without calls', answer(withoutCalls), [1, ['trip_without_calls: left out']]],
    ['an empty result', answer('<StopEventResult/>'), [1, ['trip_without_service: left out']]],
    [
      'a situation without a number',
      answer('', situations('<PtSituation/>', '<PtSituation><SituationNumber>7</SituationNumber></PtSituation>')),
      [2, ['situation_without_number: left out']],
    ],
  ])('%s is dropped alone', (_, xml, outcome) => {
    expect(outcomeOf(xml)).toEqual(outcome);
  });

  test('are the timed legs of a trip, the places of a location', () => {
    const timed = `<TimedLeg><LegBoard>${call}</LegBoard><LegAlight>${call}</LegAlight><Service/></TimedLeg>`;
    const legs = `<TripLeg>${timed}</TripLeg><TripLeg><ContinuousLeg/></TripLeg><TripLeg>${timed}</TripLeg>`;
    const trips = trias(`<TripResponse><TripResult><Trip>${legs}</Trip></TripResult></TripResponse>`);
    expect(parse(trips)).toMatchObject({ recordCount: 2, trips: [{ calls: [{}, {}] }, { calls: [{}, {}] }] });
    const places = ojp('<OJPLocationInformationDelivery><PlaceResult/><PlaceResult/></OJPLocationInformationDelivery>');
    expect(parse(places)).toMatchObject({ recordCount: 2, trips: [] });
  });

  test.each([
    ['in a section, as in TRIAS', (line: string) => `<ServiceSection>${line}</ServiceSection>`],
    ['in the service itself, as in OJP', (line: string) => line],
  ])('finds line, mode and operator %s', (_, place) => {
    const line = `<LineRef>l</LineRef><Mode><PtMode>bus</PtMode><BusSubmode>nightBus</BusSubmode><Name><Text>Bus</Text></Name></Mode>
      <PublishedLineName><Text>N8</Text></PublishedLineName><OperatorName><Text>Sample Lines</Text></OperatorName>`;
    const xml = answer(stopEvent.replace('<Service/>', `<Service>${place(line)}</Service>`));
    expect(parse(xml).trips[0]).toMatchObject({
      lineRef: 'l',
      lineName: 'N8',
      ptMode: 'bus',
      submode: 'nightBus',
      modeName: 'Bus',
      operatorName: 'Sample Lines',
    });
  });

  test.each(['PublishedLineName', 'PublishedServiceName'])('reads the name of the line from %s', (name) => {
    const service = `<Service><PublicCode>X1</PublicCode><${name}><Text>S1</Text></${name}></Service>`;
    expect(parse(answer(stopEvent.replace('<Service/>', service))).trips[0]?.lineName).toBe('S1');
  });

  test('uses a public code in place of a name', () => {
    const service = '<Service><PublicCode>X1</PublicCode></Service>';
    expect(parse(answer(stopEvent.replace('<Service/>', service))).trips[0]?.lineName).toBe('X1');
  });

  test('collects references to situations of the service and its calls, without duplicates', () => {
    const reference = (number: number) =>
      `<SituationFullRef><ParticipantRef>p</ParticipantRef><SituationNumber>${number}</SituationNumber></SituationFullRef>`;
    const event = stopEvent
      .replace('<Service/>', `<Service><SituationFullRefs>${reference(1)}${reference(2)}</SituationFullRefs></Service>`)
      .replace('</CallAtStop>', `${reference(2)}${reference(3)}</CallAtStop>`);
    expect(parse(answer(event)).trips[0]?.situationIds).toEqual(['p:1', 'p:2', 'p:3']);
  });

  test('reads texts of the situation, else of the first publishing action with texts', () => {
    const content = (text: string) =>
      `<PublishingAction><TextualContent><SummaryContent><SummaryText>${text}</SummaryText></SummaryContent>
      <DescriptionContent><DescriptionText>Text</DescriptionText></DescriptionContent></TextualContent></PublishingAction>`;
    const number = (value: number) => `<SituationNumber>${value}</SituationNumber>`;
    const xml = answer(
      '',
      situations(
        `<PtSituation>${number(1)}<Summary>Own</Summary><Advice>Walk</Advice>${content('Other')}</PtSituation>`,
        `<PtSituation>${number(2)}<PublishingActions>${content('First')}${content('Second')}</PublishingActions></PtSituation>`,
      ),
    );
    expect(parse(xml).situations).toMatchObject([
      { id: ':1', summary: 'Own', texts: ['Walk'] },
      { id: ':2', summary: 'First', texts: ['Text'] },
    ]);
  });
});
