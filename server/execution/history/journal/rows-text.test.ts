import { fc } from '../../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { RunSummary } from '#shared/run-event.ts';
import { readRows, writeRows } from './rows-text.ts';

const id = fc.stringMatching(/^[a-z0-9_]{1,12}$/);
const error = fc.record(
  { code: id, message: fc.string({ unit: 'grapheme' }) },
  { requiredKeys: ['code', 'message'] },
);
const summary: fc.Arbitrary<RunSummary> = fc.record(
  {
    run: id,
    flow: fc.oneof(id, fc.string({ unit: 'grapheme' })),
    version: id,
    trigger: id,
    source: fc.constantFrom('http', 'manual', 'flow'),
    startedAt: fc.integer({ min: 0, max: 4e12 }),
    ms: fc.double({ min: 0, max: 1e9, noNaN: true }).map((ms) => ms + 0),
    status: fc.constantFrom('ok', 'failed', 'cancelled', 'running'),
    recorded: fc.boolean(),
    parent: id,
    parentNode: id,
    tokens: fc.record(
      { input: fc.nat(), output: fc.nat(), cached: fc.nat() },
      { requiredKeys: ['input', 'output'] },
    ),
    error,
  },
  { requiredKeys: ['run', 'flow', 'version', 'trigger', 'source', 'startedAt', 'status', 'recorded'] },
);

test('summaries survive the text unchanged', () => {
  fc.assert(
    fc.property(fc.array(summary, { maxLength: 20 }), (rows) => {
      expect(readRows(writeRows(rows))).toEqual(rows);
    }),
  );
});
