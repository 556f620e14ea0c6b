import { readFile, writeFile } from 'node:fs/promises';
import type { SerializedError } from 'vitest';
import { JsonReporter, type TestModule } from 'vitest/node';

/** An error that belongs to no test: it was thrown where nobody waited for it, or a process of Vitest ended. */
export interface OutsideError {
  readonly message: string;
  /** The file and the test during which it came, where Vitest knows them. */
  readonly file?: string;
  readonly test?: string;
}

/** Vitest's JSON report with the errors outside of tests: they make Vitest fail, and its own report does not have them. */
export default class ReportWithErrors extends JsonReporter {
  constructor() {
    super({});
  }

  override async onTestRunEnd(
    modules: readonly TestModule[],
    errors: readonly SerializedError[] = [],
  ): Promise<void> {
    await super.onTestRunEnd([...modules]);
    const { outputFile } = this.ctx.config;
    if (errors.length === 0 || typeof outputFile !== 'object' || outputFile.json === undefined) return;
    const report = JSON.parse(await readFile(outputFile.json, 'utf8')) as object;
    const outside = errors.map(
      ({ message, VITEST_TEST_PATH: file, VITEST_TEST_NAME: test }): OutsideError => ({
        message,
        ...(typeof file === 'string' && { file }),
        ...(typeof test === 'string' && { test }),
      }),
    );
    await writeFile(outputFile.json, JSON.stringify({ ...report, outside }));
  }
}
