import type { Metrics } from '../../pipeline/metrics/metrics.ts';
import type { BackfillUnit, Job, JobContext, JobOutcome } from '../job/job.ts';
import { isFailure } from '../runner/run-statistics.ts';
import type { ServiceFacts } from './service-facts.ts';

type Gauges = Metrics['gauges'];

/** Sets the gauges of a service from its data folder. Unknown values have no series. */
export function showFacts({ gauges }: Metrics, facts: ServiceFacts): void {
  showSources(gauges, facts);
  showRecords(gauges, facts);
  showJobs(gauges, facts);
  gauges.predictionError.replace(
    (facts.predictions ?? []).flatMap(({ source, days: [newest] }) => [
      { labels: { source, forecaster: 'ours' }, value: newest?.ours ?? null },
      { labels: { source, forecaster: 'persistence' }, value: newest?.persistence ?? null },
    ]),
  );
  gauges.shards.replace(
    (facts.shards ?? []).flatMap(({ job, ...counts }) =>
      (['waiting', 'active', 'failed'] as const).map((state) => ({
        labels: { job_name: job, state },
        value: counts[state],
      })),
    ),
  );
  gauges.storePendingFiles.replace([{ labels: {}, value: facts.store?.waitingFiles ?? null }]);
  gauges.storePendingJobs.replace([{ labels: {}, value: facts.store?.waitingJobs ?? null }]);
  gauges.diskFree.replace([{ labels: {}, value: facts.disk?.freeBytes ?? null }]);
  gauges.diskSize.replace([{ labels: {}, value: facts.disk?.sizeBytes ?? null }]);
}

function showSources(gauges: Gauges, { timetable, realtime }: ServiceFacts): void {
  const timetables = timetable ?? [];
  const sources = realtime ?? [];
  const each = <Fact extends { readonly source: string }>(
    facts: readonly Fact[],
    value: (fact: Fact) => number | null,
  ) => facts.map((fact) => ({ labels: { source: fact.source }, value: value(fact) }));
  gauges.timetableSourceAge.replace(each(timetables, ({ ageSeconds }) => ageSeconds));
  gauges.timetableRemaining.replace(each(timetables, ({ remainingSeconds }) => remainingSeconds));
  const licensed = timetables.filter(({ stopAfterValidity }) => stopAfterValidity === true);
  gauges.licenceRemaining.replace(each(licensed, ({ remainingSeconds }) => remainingSeconds));
  gauges.sourceAge.replace(each(sources, ({ ageSeconds }) => ageSeconds));
  gauges.sourceMaxAge.replace(each(sources, ({ maxAgeSeconds }) => maxAgeSeconds));
  const isWell = (status: string) => status === 'fresh' || status === 'standby';
  gauges.sourceFresh.replace(each(sources, ({ status }) => (isWell(status) ? 1 : 0)));
}

function showRecords(gauges: Gauges, { realtime }: ServiceFacts): void {
  const tallies = (realtime ?? []).flatMap(({ source, tally }) => (tally === null ? [] : [{ source, tally }]));
  gauges.realtimeRecords.replace(tallies.map(({ source, tally }) => ({ labels: { source }, value: tally.records })));
  gauges.realtimeTrips.replace(
    tallies.flatMap(({ source, tally }) =>
      (['matched', 'unmatched'] as const).flatMap((outcome) =>
        Object.entries(tally[outcome]).map(([reason, value]) => ({ labels: { source, outcome, reason }, value })),
      ),
    ),
  );
  gauges.realtimeProblems.replace(
    tallies.flatMap(({ source, tally }) =>
      Object.entries(tally.problems).map(([reason, value]) => ({ labels: { source, reason }, value })),
    ),
  );
}

function showJobs(gauges: Gauges, { jobs }: ServiceFacts): void {
  const each = (value: (fact: NonNullable<ServiceFacts['jobs']>[number]) => number | null) =>
    (jobs ?? []).map((fact) => ({ labels: { job_name: fact.job }, value: value(fact) }));
  const seconds = (isoTime: string | null) => (isoTime === null ? null : Date.parse(isoTime) / 1000);
  gauges.jobLastRun.replace(each(({ lastStartedAt }) => seconds(lastStartedAt)));
  gauges.jobLastSuccess.replace(each(({ lastSuccessAt }) => seconds(lastSuccessAt)));
  gauges.jobLastDuration.replace(each(({ lastDurationSeconds }) => lastDurationSeconds));
  gauges.jobFailing.replace(each(({ lastStatus }) => (lastStatus === null ? null : Number(isFailure(lastStatus)))));
  gauges.jobLate.replace(each(({ lateSeconds }) => lateSeconds));
}

/** The same jobs, with each attempt of a run, and of a unit of a worker, counted by its outcome. */
export function measureJobs(jobs: readonly Job[], { counters }: Metrics): readonly Job[] {
  return jobs.map((job) => {
    const count = (status: JobOutcome['status']) => counters.jobRuns.add({ job_name: job.name, status });
    const measure = async (context: JobContext, attempt: () => Promise<JobOutcome>) => {
      try {
        const outcome = await attempt();
        count(outcome.status);
        return outcome;
      } catch (error) {
        // A run that the process stops is repeated, and no failure.
        if (!context.stopping?.aborted) count('failed');
        throw error;
      }
    };
    return {
      ...job,
      ...measureUnits(job, measure),
      run: (context) => measure(context, () => job.run(context)),
    };
  });
}

type Measure = (context: JobContext, attempt: () => Promise<JobOutcome>) => Promise<JobOutcome>;

/** A unit that a worker does by another function than a run. */
function measureUnits({ division }: Job, measure: Measure): Pick<Job, 'division'> {
  const runUnit = division?.shards?.runUnit;
  if (!runUnit) return {};
  const shards = {
    ...division.shards,
    runUnit: (context: JobContext, unit: BackfillUnit) => measure(context, () => runUnit(context, unit)),
  };
  return { division: { ...division, shards } };
}
