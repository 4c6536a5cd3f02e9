-- The seconds of output that a video edit was priced for, by its longest source. Null where the
-- request itself names the duration. No material that is longer is edited for this price.
alter table tasks add column priced_seconds double precision
  check (priced_seconds > 0 and priced_seconds <= 30);
-- The formats of its images, such as ["PNG", null, "HEIC"]; null inside where not known. Not every
-- provider takes every format.
alter table tasks add column image_formats jsonb;
