import { existsSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { projectPath } from '../../../pipeline/effects/project-files.ts';

/** Files that take minutes. One of them that begins last would leave all other cores idle for as long. */
const LONGEST = [
  'test/pipeline/timetable/mutated-feeds.slow.test.ts',
  'test/e2e/rescue-scenes.slow.test.ts',
  'test/e2e/rescue-scene.slow.test.ts',
  'test/e2e/demo.slow.test.ts',
  'test/e2e/followed-store.slow.test.ts',
  'test/jobs/workers.slow.test.ts',
  'test/jobs/damaged-files.isolated.slow.test.ts',
  'test/api/engine/planner/sample-oracle.slow.test.ts',
  'test/e2e/full-disk.slow.test.ts',
  'test/e2e/watching-replicas.slow.test.ts',
  'test/real/planner-oracle.test.ts',
  'test/real/history-import.test.ts',
  'test/real/predictions-live.test.ts',
  'test/real/demo-predictions.test.ts',
  'test/real/predictions-hu.test.ts',
  'test/real/ingest.test.ts',
].map(projectPath);

/**
 * Begins with the longest files of a suite. By itself Vitest begins with the largest ones, until it has run them once in
 * the same checkout.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const gone = LONGEST.filter((file) => !existsSync(file));
    if (gone.length > 0)
      throw new Error(`test/support/setup/longest-first.ts names ${gone.join(', ')}, which is not there`);
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const found = LONGEST.indexOf(path.normalize(moduleId));
      return found < 0 ? LONGEST.length : found;
    };
    // By project first, as the other one has it; the sort is stable.
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    return projects.flatMap((name) =>
      sorted.filter(({ project }) => project.name === name).sort((a, b) => rank(a) - rank(b)),
    );
  }
}
