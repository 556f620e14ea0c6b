import { expect, test } from 'vitest';
import { isPlainRead } from './postgres-reads.ts';

test.each([
  'SELECT id, name FROM customers WHERE city = $1 AND id IN (1, 2) ORDER BY id LIMIT 10',
  "SELECT count(*), sum(price * 2) FROM orders WHERE at > now() - interval '1 day' GROUP BY (customer)",
  'WITH a AS (SELECT max(id) AS n FROM t) SELECT n::numeric(10, 2) FROM a',
  'VALUES (1), (2)',
])('a plain read: %s', (sql) => {
  expect(isPlainRead(sql)).toBe(true);
});

test.each([
  "SELECT set_config('default_transaction_read_only', 'off', false)",
  "SELECT SET_CONFIG  ('a', 'b', false)",
  'SELECT pg_catalog.set_config($1, $2, false)',
  "SELECT set_config/**/('a', 'b', false)",
  "SELECT set_config -- x\n('a', 'b', false)",
  `SELECT "set_config"('a', 'b', false)`,
  String.raw`SELECT U&"\0073et_config"('a', 'b', false)`,
  "SELECT query_to_xml('SELECT set' || '_config(1)', true, true, '')",
  'SELECT pg_advisory_lock(1)',
  'SELECT my_function(1)',
  'SET TimeZone = 1',
  'COMMIT',
  'DO $$ BEGIN END $$',
  "COPY (SELECT 1) TO PROGRAM 'x'",
  'EXPLAIN ANALYZE SELECT 1',
])('is executed in a transaction that is rolled back: %s', (sql) => {
  expect(isPlainRead(sql)).toBe(false);
});
