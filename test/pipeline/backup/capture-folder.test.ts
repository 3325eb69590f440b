import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { type CapturedFile, captureFolder } from '../../../pipeline/backup/capture-folder.ts';
import { silentLog } from '../../../pipeline/effects/log.ts';

async function makeFolder(): Promise<{ dataDir: string; staging: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-capture-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return { dataDir: path.join(folder, 'data'), staging: path.join(folder, 'staging') };
}

/** Publishes a snapshot as every publisher does: data, pointer, then removes the previous one. */
function publish(dataDir: string, number: number): void {
  const folder = path.join(dataDir, 's', String(number));
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'part.arrow'), `snapshot ${number}`);
  writeFileSync(path.join(dataDir, 's', 'aside'), String(number));
  renameSync(path.join(dataDir, 's', 'aside'), path.join(dataDir, 's', 'current'));
  rmSync(path.join(dataDir, 's', String(number - 1)), { recursive: true, force: true });
}

const world = { log: silentLog, sleep: async () => {} };
const readHeld = async (files: readonly CapturedFile[], name: string) => {
  const file = files.find((one) => one.path === name);
  return file ? (await readFile(file.held, 'utf8')).slice(0, file.bytes) : null;
};

it('captures a state in which pointer and data agree, wherever publications fall between its reads', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(12), { maxLength: 6 }), async (instants) => {
      const { dataDir, staging } = await makeFolder();
      let [published, looks] = [1, 0];
      publish(dataDir, published);
      const { files } = await captureFolder(
        dataDir,
        staging,
        () => {
          if (instants.includes(looks++)) publish(dataDir, ++published);
          return false;
        },
        world,
      );
      // The capture outlasts changes of the folder.
      await rm(dataDir, { recursive: true });
      const current = await readHeld(files, 's/current');
      expect(await readHeld(files, `s/${current}/part.arrow`)).toBe(`snapshot ${current}`);
      expect(files.map((file) => file.path)).toEqual([`s/${current}/part.arrow`, 's/current']);
    }),
    { numRuns: 60 },
  );
});

it('captures and lists every response that a captured journal or index refers to, wherever polls fall between its reads', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(20), { maxLength: 10 }), async (instants) => {
      const { dataDir, staging } = await makeFolder();
      const [raw, journal] = [
        path.join(dataDir, 'lake', 'raw'),
        path.join(dataDir, 'state', 'observations', '1.journal'),
      ];
      for (const folder of [raw, path.dirname(journal)]) mkdirSync(folder, { recursive: true });
      let [answers, looks] = [0, 0];
      /** The bytes first, then their line in the index, then the observations. */
      const poll = () => {
        writeFileSync(path.join(raw, String(answers)), 'bytes');
        appendFileSync(path.join(raw, 'answers.ndjson'), `${answers} `);
        appendFileSync(journal, `${answers++} `);
      };
      poll();
      const isDatabase = () => {
        if (instants.includes(looks++)) poll();
        return false;
      };
      const { files } = await captureFolder(dataDir, staging, isDatabase, world);
      const readAnswers = async (name: string) =>
        (await readHeld(files, name))!.split(' ').filter((answer) => answer !== '');
      const listed = await readAnswers('lake/raw/answers.ndjson');
      const held = files.map((file) => file.path);
      expect(listed.filter((answer) => !held.includes(`lake/raw/${answer}`))).toEqual([]);
      const named = await readAnswers('state/observations/1.journal');
      expect(named.filter((answer) => !listed.includes(answer))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

it('captures the beginning of files that grow meanwhile', async () => {
  const { dataDir, staging } = await makeFolder();
  const journal = path.join(dataDir, 'state', 'observations', 'source=a', '1.journal');
  mkdirSync(path.dirname(journal), { recursive: true });
  writeFileSync(journal, 'one ');
  const grow = async () => appendFile(journal, 'more ');
  const { files } = await captureFolder(dataDir, staging, () => false, { ...world, sleep: grow });
  await grow();
  expect(await readHeld(files, 'state/observations/source=a/1.journal')).toBe('one ');
});

it("ignores the poller's record of the object store, and is not delayed by it", async () => {
  const { dataDir, staging } = await makeFolder();
  const noted = path.join(dataDir, 'state', 'object-store', 'trees', 'snapshots%2Frealtime.json');
  mkdirSync(path.dirname(noted), { recursive: true });
  publish(dataDir, 1);
  let published = 0;
  const note = () => {
    writeFileSync(noted, String(++published));
    return false;
  };
  const { files } = await captureFolder(dataDir, staging, note, world);
  expect(files.map((file) => file.path)).toEqual(['s/1/part.arrow', 's/current']);
});

it('gives up on a folder that keeps changing', async () => {
  const { dataDir, staging } = await makeFolder();
  let published = 1;
  publish(dataDir, published);
  const restless = captureFolder(
    dataDir,
    staging,
    () => {
      publish(dataDir, ++published);
      return false;
    },
    world,
  );
  await expect(restless).rejects.toMatchObject({ code: 'backup_unsettled', isRetryable: true });
});
