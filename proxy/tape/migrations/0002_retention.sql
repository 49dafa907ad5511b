-- Pruning removes the oldest exchanges first.
CREATE INDEX exchanges_started ON exchanges (started);

-- What has not ended, and bodies that nothing refers to yet or any more, are looked for whenever a tape is opened for writing. Both are few,
-- on a tape that may be large.
CREATE INDEX exchanges_unended ON exchanges (id) WHERE ended IS NULL;
CREATE INDEX bodies_unowned ON bodies (id) WHERE prefix IS NULL;
