-- The tape as of schema version 1. Times of day are nanoseconds since 1970 UTC, spans of time microseconds.

CREATE TABLE sessions (
  id         INTEGER PRIMARY KEY,
  name       TEXT    NOT NULL UNIQUE,
  started    INTEGER NOT NULL,
  ended      INTEGER,                      -- NULL while the recorder runs, and for good when it died
  upstream   TEXT    NOT NULL,
  version    TEXT    NOT NULL,             -- of the exodeck that recorded
  labels     TEXT,                         -- JSON object of strings, NULL when there are none
  unrecorded INTEGER NOT NULL DEFAULT 0    -- exchanges that took place and are not on the tape whole
);

-- One row for each body that differs from all others. Bytes are in parts of at most 256 KiB: the only part of a small body
-- is in data, those of a larger one are in parts.
CREATE TABLE bodies (
  id     INTEGER PRIMARY KEY,
  prefix INTEGER,                          -- first 8 bytes of sha256, big-endian; NULL while the body is still coming in
  sha256 BLOB,
  refs   INTEGER NOT NULL,                 -- how many requests and responses have this body
  size   INTEGER NOT NULL,                 -- bytes as they went over the wire
  stored INTEGER NOT NULL,                 -- bytes taken here or in parts
  codec  INTEGER,                          -- of data: 0 as is, 1 zstd, 2 S2 block; NULL when the bytes are in parts
  data   BLOB
);

-- A whole digest in the index would make it three times as large, and random inserts dear.
CREATE INDEX bodies_prefix ON bodies (prefix) WHERE prefix IS NOT NULL;

CREATE TABLE parts (
  id    INTEGER PRIMARY KEY,               -- body * 1048576 + number of the part, from 0
  size  INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  data  BLOB    NOT NULL
);

CREATE TABLE exchanges (
  id               INTEGER PRIMARY KEY,
  session          INTEGER NOT NULL REFERENCES sessions (id),
  seq              INTEGER NOT NULL,
  started          INTEGER NOT NULL,
  upstream         TEXT,                   -- NULL: that of the session
  method           TEXT    NOT NULL,
  url              TEXT    NOT NULL,
  host             TEXT    NOT NULL,
  proto            TEXT    NOT NULL,
  labels           TEXT,                   -- JSON object of strings
  request_header   TEXT,                   -- JSON object of arrays; {"base64": ...} stands for a value that is not UTF-8
  request_trailer  TEXT,
  request_body     INTEGER REFERENCES bodies (id), -- NULL when empty
  status           INTEGER NOT NULL DEFAULT 0,     -- 0: no response came
  reason           TEXT,                   -- NULL: the standard phrase of the status; '': none was sent
  response_proto   TEXT,
  response_header  TEXT,
  response_trailer TEXT,
  response_body    INTEGER REFERENCES bodies (id),
  ttfb             INTEGER NOT NULL DEFAULT 0,
  total            INTEGER NOT NULL DEFAULT 0,
  pieces           BLOB,                   -- for each piece two varints: what its offset and its time exceed those of the last by
  ended            TEXT,                   -- NULL: in flight, or interrupted when no recorder runs
  cause            TEXT,
  UNIQUE (session, seq)
);

-- Derived from the rest, and derived anew when version is older than the program's.
CREATE TABLE facts (
  exchange INTEGER PRIMARY KEY REFERENCES exchanges (id),
  version  INTEGER NOT NULL,
  api      TEXT    NOT NULL,
  model    TEXT    NOT NULL,
  stream   INTEGER NOT NULL
);
