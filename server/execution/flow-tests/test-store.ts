import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FlowTests } from '#shared/flow-test.ts';
import type { Config } from '../../base/config/config.ts';
import type { FlowService } from '../../flows/service/flow-types.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { BadTests, readTests, testFileOf, writeTests } from './test-file.ts';

/** The tests of a server's flows. Errors: `flow_not_found`, and `conflict` for a broken file or a flow without one. */
export interface TestStore {
  /** `file` is a path below the flows folder. */
  read(flow: string): Promise<{ readonly file: string; readonly tests: FlowTests }>;
  /** Writes the tests that `edit` returns; one change at a time. */
  change(flow: string, edit: (tests: FlowTests) => FlowTests | Promise<FlowTests>): Promise<FlowTests>;
}

export function createTestStore({
  flows,
  config,
}: {
  readonly flows: FlowService;
  readonly config: Config;
}): TestStore {
  let last: Promise<unknown> = Promise.resolve();

  async function pathOf(flow: string) {
    const { file } = await flows.get(flow);
    const paths = config.flows.map((folder) => join(folder, file));
    // A draft that was never published has its tests where its file will be.
    const path = paths.find((one) => existsSync(one)) ?? paths[0];
    return { file: testFileOf(file), path: path?.endsWith('.json') ? testFileOf(path) : undefined };
  }

  async function changeNow(flow: string, edit: Parameters<TestStore['change']>[1]): Promise<FlowTests> {
    const { path } = await pathOf(flow);
    if (path === undefined) throw withoutFile();
    const tests = await edit(testsIn(path));
    try {
      await writeTests(path, tests);
    } catch {
      throw new ServiceError('storage_failed', 'The tests could not be written to the flows folder.');
    }
    return tests;
  }

  return {
    async read(flow) {
      const { file, path } = await pathOf(flow);
      return { file, tests: path === undefined ? NONE : testsIn(path) };
    },
    change(flow, edit) {
      const done = last.then(() => changeNow(flow, edit));
      last = done.catch(() => {});
      return done;
    },
  };
}

const NONE: FlowTests = { format: 1, cases: [] };

function testsIn(path: string): FlowTests {
  try {
    return readTests(path) ?? NONE;
  } catch (error) {
    if (!(error instanceof BadTests)) throw error;
    throw new ServiceError(
      'conflict',
      `The file of tests is broken and stays unchanged: ${error.message}. Repair ${path.split('/').at(-1)}.`,
    );
  }
}

function withoutFile(): ServiceError {
  return new ServiceError('conflict', 'The flow is written in code, so its tests have no file.');
}
