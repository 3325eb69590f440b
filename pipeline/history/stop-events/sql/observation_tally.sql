-- Outcome of the observations of the day, row by row: each is in one of the numbers used, superseded and refused.
select 'observations' as name, count(*)::double as n from day_observations
union all
select 'observations_refused_' || refusal, sum(n)::double from refused_observations group by refusal
union all
select 'observations_used', coalesce(sum(used_count), 0)::double from resolved_reports
union all
select 'observations_superseded', coalesce(sum(row_count - used_count), 0)::double from resolved_reports
union all
select 'calls_moved', count(*) filter (is_moved)::double from resolved_reports
union all
select 'calls_observed_though_cancelled', count(*) filter (is_observed_though_cancelled)::double from resolved_reports
