import type { SourceUpdate } from '../../../../pipeline/model/realtime.ts';
import { parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { type NormaliseOptions, normaliseAnswer } from '../../../../pipeline/sources/trias/normalise-answer.ts';
import { parseAnswer } from '../../../../pipeline/sources/trias/parse-answer.ts';

/** Default time of a response. */
export const answeredAt = parseTimestamp('2026-03-16T07:30:00Z')!;

interface AnswerParts {
  readonly stopEvents?: readonly string[];
  readonly situations?: readonly string[];
  readonly places?: string;
  readonly responseTime?: string | null;
}

/** A call at a stop of IFOPT; with the given XML inside. */
export function callAt(name: string, stop: string, content = ''): string {
  return `<${name}><CallAtStop><StopPointRef>${stop}</StopPointRef>${content}</CallAtStop></${name}>`;
}

export function stopEvent(calls: string, service = ''): string {
  return `<StopEvent>${calls}<Service>${service}</Service></StopEvent>`;
}

export function departure(times: string): string {
  return `<ServiceDeparture>${times}</ServiceDeparture>`;
}

/** A TRIAS response with the given parts, without prefixes. */
export function normaliseParts(parts: AnswerParts, options: Partial<NormaliseOptions> = {}): SourceUpdate {
  const { stopEvents = [], situations = [], places = '', responseTime = '2026-03-16T07:30:00Z' } = parts;
  const results = stopEvents.map((event) => `<StopEventResult>${event}</StopEventResult>`);
  const xml = `<Trias version="1.2"><ServiceDelivery>
    ${responseTime === null ? '' : `<ResponseTimestamp>${responseTime}</ResponseTimestamp>`}
    <DeliveryPayload><StopEventResponse><StopEventResponseContext>
      <Places>${places}</Places><Situations>${situations.join('')}</Situations>
    </StopEventResponseContext>${results.join('')}</StopEventResponse></DeliveryPayload></ServiceDelivery></Trias>`;
  const answer = parseAnswer(new TextEncoder().encode(xml), 'trias');
  return normaliseAnswer(answer, { source: 'trias', fetchedAt: answeredAt, ...options });
}
