import { projectPath } from '../../pipeline/effects/project-files.ts';
import { scrapeEveryMetric } from '../support/fakes/scrape-every-metric.ts';
import { installDebianPackage, runTool } from './tools.ts';

const RULES = 'docs/monitoring/alert-rules.yaml';

/**
 * Validates a scrape with every metric, and the alert rules, with promtool of Prometheus.
 * @returns a summary of what was checked
 */
export async function checkWithPromtool(): Promise<string> {
  await installDebianPackage('promtool', 'prometheus');
  const text = await scrapeEveryMetric();
  // Exit code 3 means that names violate the conventions of Prometheus.
  await runTool('promtool', ['check', 'metrics'], text);
  const output = await runTool('promtool', ['check', 'rules', projectPath(RULES)], '');
  const rules = /(\d+) rules found/.exec(output)?.[1] ?? '0';
  if (rules === '0') throw new Error(`promtool found no rule in ${RULES}`);
  return `${text.match(/^# TYPE /gm)?.length ?? 0} metrics, ${rules} rules`;
}
