-- When a provider was asked to stop an attempt and did not say whether it would. An attempt that
-- ends without a video afterwards was cancelled; it did not fail.
alter table attempts add column stop_unconfirmed_at timestamptz;
