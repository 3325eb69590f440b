-- Fingerprint of the rows of each file, and how many of each kind there are. The sum of MD5s does not depend on the order,
-- and counts a duplicate row twice.
with digests as (
    select
        filename,
        md5_number(row_text) as digest,
        is_added,
        is_cancelled,
        evidence
    from row_texts
)

select
    filename,
    count(*)::double as row_count,
    coalesce(sum((digest >> 64)::ubigint), 0)::varchar as upper_sum,
    coalesce(sum((digest & 18446744073709551615::uhugeint)::ubigint), 0)::varchar as lower_sum,
    count(*) filter (not is_added)::double as scheduled,
    count(*) filter (not is_added and not is_cancelled and evidence = 'observed_actual')::double as observed,
    count(*) filter (not is_added and not is_cancelled and evidence = 'forecast')::double as forecast,
    count(*) filter (not is_added and is_cancelled)::double as cancelled,
    count(*) filter (is_added)::double as added
from digests
group by filename
