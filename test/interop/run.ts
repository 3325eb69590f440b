import process from 'node:process';
import { readCompose } from './compose.ts';
import { lintDockerfile } from './dockerfile.ts';
import { runEverything } from './everything.ts';
import { checkKotlinClient, checkPythonClient, checkSwiftClient } from './generated-clients.ts';
import { readIcebergTables } from './iceberg.ts';
import { buildAndRunImage } from './image.ts';
import { readLakeFiles } from './lake-files.ts';
import { runNotebook } from './notebook.ts';
import { checkOnS3 } from './object-store.ts';
import { checkOpenApiDocument, fuzzWithSchemathesis } from './openapi.ts';
import { compareWithOtp } from './otp.ts';
import { checkWithPromtool } from './promtool.ts';
import { balanceReplicas } from './replicas.ts';
import { type Check, runAsProcess } from './run-checks.ts';
import { stopServices } from './services/service.ts';
import { completeInShells } from './shells.ts';
import { readWithSpark } from './spark.ts';
import { readStoredTables } from './store-tables.ts';
import { checkUnit } from './systemd.ts';
import { compareEngines } from './trino.ts';

/** Checks of other programs, in this order. Each check starts the services that it needs. */
const checks: Readonly<Record<string, Check>> = {
  'metrics and alert rules, by promtool of Prometheus': checkWithPromtool,
  'completion, by bash, zsh and fish': completeInShells,
  'systemd unit, by systemd-analyze': checkUnit,
  'Dockerfile, by hadolint': lintDockerfile,
  'compose.yaml, by Docker Compose': readCompose,
  'OpenAPI document, by linters and TypeScript': checkOpenApiDocument,
  'Kotlin client of the OpenAPI document, by openapi-generator and Maven': checkKotlinClient,
  'Swift client of the OpenAPI document, by openapi-generator and swiftc': checkSwiftClient,
  'Python client of the OpenAPI document, by openapi-python-client': checkPythonClient,
  'requests derived from the OpenAPI document, by Schemathesis': fuzzWithSchemathesis,
  'object store, on an S3 server': checkOnS3,
  'replicas, behind HAProxy': balanceReplicas,
  'files of the lake, by pyarrow and pandas': readLakeFiles,
  'notebook of the examples, by Jupyter and DuckDB': runNotebook,
  'Iceberg tables, by PyIceberg and DuckDB': readIcebergTables,
  'Iceberg tables, by Spark': readWithSpark,
  'Iceberg tables in an S3 store, by PyIceberg, Spark and DuckDB': readStoredTables,
  'tables, marts and questions, by Trino and DuckDB': compareEngines,
  'trip planner, against OpenTripPlanner': compareWithOtp,
  'everything together: S3, PostgreSQL, workers, pollers, Trino, HAProxy': runEverything,
  'container image, built and run by buildah': buildAndRunImage,
};

await runAsProcess(checks, process.argv[2] ?? '', stopServices);
