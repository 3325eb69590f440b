import { installPythonPackages, runTool } from '../tools.ts';
import { findJdk, getMavenFile } from './java.ts';
import { makeServiceFolder } from './service.ts';

const VERSION = '3.5.8';
/** Of the same Spark and Scala. */
export const SPARK_RUNTIME = 'org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.10.0';
const HEAP = '1g';

export interface Spark {
  readonly version: string;
  /**
   * Runs a Python program in a session with the Iceberg jar on its path; catalogs are up to the program.
   * @param input its standard input
   * @returns what it has printed; the messages of Spark come before
   * @throws Error with that when it fails
   */
  runPython(file: string, input: string): Promise<string>;
}

/**
 * PySpark of PyPI in an environment of its own, with Java 17. Each run is a process that ends by itself, so there is
 * nothing to stop.
 * @throws Error where it cannot be installed
 */
export async function installSpark(): Promise<Spark> {
  const javaHome = await findJdk([17, 17]);
  const iceberg = await getMavenFile(SPARK_RUNTIME);
  const python = await installPythonPackages(`spark-${VERSION}`, [`pyspark==${VERSION}`]);
  return {
    version: VERSION,
    async runPython(file, input) {
      const { folder, remove } = await makeServiceFolder('spark');
      const args = ['--master', 'local[2]', '--driver-memory', HEAP, '--jars', iceberg];
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
        return await runTool('env', [...env, python, file], input, folder);
      } finally {
        await remove();
      }
    },
  };
}
