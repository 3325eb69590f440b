import { formatUtc, type Instant } from '../../../pipeline/model/service-time.ts';
import { type Announcement, listActive } from '../../../pipeline/snapshots/parse-announcements.ts';
import type { V1Announcements } from '../../contract/definitions.ts';
import type { Handlers, Service } from '../service.ts';

/** `/v1/announcements`: the announcements that apps show now. */
export function announcementHandlers({ announcements }: Service): Handlers {
  return {
    'GET /v1/announcements': {
      snapshot: 'unused',
      takeData: () => {
        const held = announcements.current();
        return { value: held?.value ?? [], dataVersion: held?.dataVersion, tagPart: held?.dataVersion ?? null };
      },
      changesWithTime: () => true,
      answer: ({ data, instant }) => {
        const active = listActive(data as readonly Announcement[], instant);
        const answer: V1Announcements = { generatedAt: formatUtc(instant * 1000), announcements: active.map(present) };
        return { json: answer };
      },
    },
  };
}

function present({ closedAt: _, activeFrom, activeTo, platforms, ...rest }: Announcement) {
  const toText = (at: Instant | null) => (at === null ? null : formatUtc(at * 1000));
  return { ...rest, activeFrom: toText(activeFrom), activeTo: toText(activeTo), platforms: [...platforms] };
}
