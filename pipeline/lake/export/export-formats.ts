export const exportFormats = ['parquet', 'csv', 'arrow'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export const exportProfiles = ['portable'] as const;
export type ExportProfile = (typeof exportProfiles)[number];
