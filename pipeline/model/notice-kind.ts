/** Kinds of news, as the contract's `Notice.kind` lists them. */
export const noticeKinds = [
  'replacementService',
  'construction',
  'cancellation',
  'information',
  'emergency',
  'allClear',
  'loadingTime',
  'announcement',
  'other',
] as const;

export type NoticeKind = (typeof noticeKinds)[number];
