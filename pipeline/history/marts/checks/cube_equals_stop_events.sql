-- Sources whose counts in the cube differ from the manifests of their stop events.
-- from: input_counts, source with scheduled and cancelled calls as its manifest has them
with

counted as (
    select
        source,
        on_time_max_delay_seconds,
        late_min_delay_seconds,
        early_min_seconds,
        evidence,
        sum(scheduled)::bigint as scheduled,
        sum(cancelled)::bigint as cancelled
    from punctuality_cube
    where source <> '*'
    group by all
),

expected as (
    select
        input_counts.source,
        definitions.on_time_max_delay_seconds,
        definitions.late_min_delay_seconds,
        definitions.early_min_seconds,
        definitions.evidence,
        input_counts.scheduled,
        input_counts.cancelled
    from input_counts
    cross join definitions
    where input_counts.scheduled > 0
)

(from counted except all from expected)
union all
(from expected except all from counted)
