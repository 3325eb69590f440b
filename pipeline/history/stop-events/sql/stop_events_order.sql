-- Fingerprint of the order of the rows of a file (view stop_events_of_day, with file_row_number). The hash of a
-- number depends on its type, which older files have another of.
select bit_xor(hash(feed_source, trip_id, position::bigint, is_added, file_row_number))::varchar as row_order
from stop_events_of_day
