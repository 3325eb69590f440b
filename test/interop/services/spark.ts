import { projectPath } from '../../../pipeline/effects/project-files.ts';
import type { Sums } from '../table-sums.ts';
import { installPythonPackages, runTool } from '../tools.ts';
import { findJdk, getMavenFile } from './java.ts';
import { makeServiceFolder } from './service.ts';

const VERSION = '3.5.8';
/** Iceberg for the same versions of Spark and Scala. */
export const SPARK_RUNTIME = 'org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.0';
/** Access to tables in an object store, in the same version. */
export const AWS_BUNDLE = 'org.apache.iceberg:iceberg-aws-bundle:1.10.0';
/** Driver for a catalog in PostgreSQL. */
export const POSTGRES_DRIVER = 'org.postgresql:postgresql:42.7.7';
const HEAP = '1g';
const READER = projectPath('test/interop/read-spark.py');

interface SparkRequest {
  /** Python that opens the session `spark`, with its catalogs. */
  readonly session: string;
  /** Tables with their catalog and namespace. */
  readonly tables: readonly string[];
  readonly queries: readonly string[];
}

export interface SparkAnswer {
  readonly version: string;
  readonly tables: readonly Sums[];
  /** Rows of each query, as texts. */
  readonly answers: readonly (readonly (readonly string[])[])[];
}

interface Spark {
  /** Runs a request in a separate session. @throws Error with the output of Spark if it fails */
  run(request: SparkRequest): Promise<SparkAnswer>;
}

/**
 * Installs PySpark from PyPI in a separate environment, with Java 17. Each run is a process that ends on its own.
 * @param packages Maven packages on the class path of each session
 * @throws Error if it cannot be installed
 */
export async function installSpark(packages: readonly string[]): Promise<Spark> {
  const javaHome = await findJdk([17, 17]);
  const jars: string[] = [];
  for (const one of packages) jars.push(await getMavenFile(one));
  const python = await installPythonPackages(`spark-${VERSION}`, [`pyspark==${VERSION}`]);
  return {
    async run(request) {
      const { folder, remove } = await makeServiceFolder('spark');
      const args = ['--master', 'local[2]', '--driver-memory', HEAP, '--jars', jars.join(',')];
      const settings = [
        'spark.ui.enabled=false',
        'spark.driver.bindAddress=127.0.0.1',
        'spark.driver.host=127.0.0.1',
        'spark.sql.session.timeZone=UTC',
        'spark.sql.shuffle.partitions=4',
        `spark.local.dir=${folder}`,
        `spark.sql.warehouse.dir=${folder}/warehouse`,
      ];
      const submit = [...args, ...settings.flatMap((setting) => ['--conf', setting]), 'pyspark-shell'].join(' ');
      try {
        const env = [`JAVA_HOME=${javaHome}`, `PYSPARK_SUBMIT_ARGS=${submit}`, 'PYTHONWARNINGS=ignore'];
        return parseAnswer(await runTool('env', [...env, python, READER], JSON.stringify(request), folder));
      } finally {
        await remove();
      }
    },
  };
}

/** Finds the result among the messages of Spark. */
function parseAnswer(output: string): SparkAnswer {
  const answer = output.split('\n').findLast((line) => line.startsWith('{"version"'));
  if (answer === undefined) throw new Error(`Spark has not answered: ${output.slice(-2000)}`);
  return JSON.parse(answer) as SparkAnswer;
}
