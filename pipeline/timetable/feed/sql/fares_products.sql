-- Fare products, rider categories and fare media.
create or replace temp table rider_categories_checked as
select
  *,
  case
    when surplus is not null then 'too_many_values'
    when rider_category_id is null then 'missing_id'
    when row_number() over (partition by rider_category_id order by row_number) > 1 then 'duplicate_id'
    when coalesce(is_default_fare_category, '0') not in ('0', '1') then 'bad_default_category'
  end as refusal
from text_rider_categories;

insert into refused
select 'rider_categories', row_number, refusal, concat_ws(' ', rider_category_id, is_default_fare_category)
from rider_categories_checked where refusal is not null;

create or replace temp table rider_categories as
select rider_category_id, coalesce(is_default_fare_category, '0') = '1' as is_default
from rider_categories_checked where refusal is null
order by rider_category_id;

create or replace temp table fare_media_checked as
select
  *,
  case
    when surplus is not null then 'too_many_values'
    when fare_media_id is null then 'missing_id'
    when row_number() over (partition by fare_media_id order by row_number) > 1 then 'duplicate_id'
  end as refusal
from text_fare_media;

insert into refused
select 'fare_media', row_number, refusal, fare_media_id from fare_media_checked where refusal is not null;

create or replace temp table fare_media as
select fare_media_id from fare_media_checked where refusal is null order by fare_media_id;

-- A price may be negative: the discount of a transfer.
create or replace temp table fare_products_checked as
select
  text_fare_products.*,
  coalesce(rider_categories.is_default, true) as is_default,
  fare_media.fare_media_id is null as is_medium_unknown,
  case
    when surplus is not null then 'too_many_values'
    when fare_product_id is null then 'missing_id'
    when gtfs_cents(amount) is null then 'bad_price'
    when gtfs_currency(currency) is null then 'bad_currency'
    when text_fare_products.rider_category_id is not null and rider_categories.rider_category_id is null
      then 'unknown_rider_category'
    when row_number() over (
      partition by fare_product_id, text_fare_products.rider_category_id, text_fare_products.fare_media_id, currency
      order by row_number
    ) > 1 then 'duplicate_id'
  end as refusal
from text_fare_products
left join rider_categories on rider_categories.rider_category_id = text_fare_products.rider_category_id
left join fare_media on fare_media.fare_media_id = text_fare_products.fare_media_id;

insert into refused
select 'fare_products', row_number, refusal, concat_ws(' ', fare_product_id, amount, currency, rider_category_id)
from fare_products_checked where refusal is not null;

create or replace temp table fare_products as
select
  fare_product_id,
  coalesce(fare_product_name, fare_product_id) as fare_product_name,
  rider_category_id,
  fare_media_id,
  gtfs_cents(amount) as amount_cents,
  gtfs_currency(currency) as currency,
  -- Whether it is the regular price, without a reduction.
  is_default
from fare_products_checked where refusal is null
order by all;

insert into repaired
select 'fare_products', 'unknown_fare_media', count(*)
from fare_products_checked where refusal is null and fare_media_id is not null and is_medium_unknown;
