import { relative } from 'node:path';
import { type RunnerTestSuite, TestRunner } from 'vitest';
import { root } from './folders.ts';
import { isTimeOver, noteNotRun } from './time-limit.ts';

/**
 * Begins no further file once the time is over: a machine that is too slow for all of the full matrices tells which of them it has not
 * run, in place of being stopped without a result.
 */
export default class WithinTime extends TestRunner {
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    if ('filepath' in suite && isTimeOver()) {
      suite.mode = 'skip';
      noteNotRun(relative(root, suite.file.filepath));
    }
    await super.onBeforeRunSuite(suite);
  }
}
