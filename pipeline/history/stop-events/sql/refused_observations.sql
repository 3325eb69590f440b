-- Observations of a slice that are refused, by reason.
select refusal, count(*) as n from reported_rows where refusal is not null group by refusal
