import type { Clock } from '../../pipeline/effects/clock.ts';
import { ExternalError, isOfTheSystem } from '../../pipeline/effects/external-error.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import { readProjectFile } from '../../pipeline/effects/project-files.ts';

/**
 * Publishes the addresses of the sample while it is served, and withdraws them once another timetable is. The service
 * does not need them: where they cannot be written, this is logged as a warning.
 */
export async function keepSamplePlaces(
  dataDir: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  isSampleServed: boolean,
): Promise<void> {
  try {
    await (isSampleServed ? publish(dataDir, { clock, log }) : withdraw(dataDir));
  } catch (error) {
    if (!(error instanceof ExternalError) && !isOfTheSystem(error)) throw error;
    log.warn(`the made-up addresses of the sample are as before: ${error.message}`);
  }
}

async function publish(dataDir: string, { clock, log }: { readonly clock: Clock; readonly log: Log }): Promise<void> {
  const { publishSamplePlaces } = await import('../../pipeline/places/publish-sample-places.ts');
  const { listSampleAddresses } = await import('../../pipeline/sample/feed/sample-addresses.ts');
  const [streetRows, sightRows] = await Promise.all(
    ['streets', 'sights'].map((name) => readProjectFile(`data/lookups/sample/${name}.csv`)),
  );
  const manifest = await publishSamplePlaces(listSampleAddresses(streetRows!, sightRows!), dataDir, clock);
  if (manifest === null) return;
  const { rows } = manifest;
  const [addresses, streets, sights] = [rows.addresses, rows.streets, rows.places].map((n) => n.toLocaleString('en'));
  log.info(`Made-up addresses for the search: ${addresses} in ${streets} streets, ${sights} sights.`);
}

async function withdraw(dataDir: string): Promise<void> {
  const { withdrawSamplePlaces } = await import('../../pipeline/places/publish-sample-places.ts');
  await withdrawSamplePlaces(dataDir);
}
