/** As readers name the folder of all tables, e.g. `s3://bucket/iceberg`; null: by its path here. */
export type LakehouseLocation = string | null | { readonly tables: string; readonly objects: string };

/**
 * Where readers find the tables: in an object store, data files are its contents, so that nothing is stored twice.
 * @param location of the setting, which names the same folder where readers need another scheme, e.g. `s3a://`
 */
export function locateTables(location: string | null, storeUrl: string | null): LakehouseLocation {
  if (storeUrl === null) return location;
  const tables = location?.replace(/\/+$/, '') ?? `${storeUrl}/iceberg`;
  return { tables, objects: `${tables.replace(/\/iceberg$/, '')}/objects` };
}
