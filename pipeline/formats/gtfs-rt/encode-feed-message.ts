import protobuf from 'protobufjs/light.js';
import type { FeedMessage } from './feed-message.ts';
import { ENTITY_FIELD, feedEntityType, feedHeaderType, HEADER_FIELD } from './feed-schema.ts';
import { BYTES } from './wire.ts';

/** Writes a feed message, header first: what `decodeFeedMessage` reads is what was written. */
export function encodeFeedMessage({ header, entity }: FeedMessage): Uint8Array {
  const writer = protobuf.Writer.create();
  writer.uint32((HEADER_FIELD << 3) | BYTES).fork();
  feedHeaderType.encode(feedHeaderType.fromObject(header), writer).ldelim();
  for (const one of entity) {
    writer.uint32((ENTITY_FIELD << 3) | BYTES).fork();
    feedEntityType.encode(feedEntityType.fromObject(one), writer).ldelim();
  }
  return writer.finish();
}
