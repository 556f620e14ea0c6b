import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type RunnerTestSuite, TestRunner } from 'vitest';
import { notRunFile, root } from './stage.ts';

/**
 * Begins no further file after `TEST_UNTIL` (Unix time in seconds), and notes it in `notRunFile`: a machine that is too slow for all
 * of the full matrices tells which of them it has not run, in place of being stopped without a result.
 */
export default class WithinTime extends TestRunner {
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    if ('filepath' in suite && isOver()) {
      suite.mode = 'skip';
      appendFileSync(process.env['TEST_NOT_RUN'] ?? notRunFile, `${relative(root, suite.file.filepath)}\n`);
    }
    await super.onBeforeRunSuite(suite);
  }
}

function isOver(): boolean {
  const until = process.env['TEST_UNTIL'];
  return until ? Date.now() > Number(until) * 1000 : false;
}
