-- Fingerprint of the order of the rows of a file (view stop_events_of_day, with file_row_number).
select bit_xor(hash(feed_source, trip_id, position, is_added, file_row_number))::varchar as row_order
from stop_events_of_day
