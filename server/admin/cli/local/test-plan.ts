import type { FlowTestCase, FlowTests } from '#shared/flow-test.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import { BadTests, readTests, testFileOf } from '../../../execution/flow-tests/test-file.ts';
import { servingOf } from '../../../flows/service/entry.ts';
import { compiledNow } from '../../../flows/service/examine.ts';
import type { LoadedFile } from './load-flow-files.ts';
import { problemLines } from '../show/print-problems.ts';
import type { FlowReport } from '../show/test-report.ts';

type Named = Pick<FlowReport, 'flow' | 'file'>;

/** The tests of one flow to run, or the reason why none can. */
export type PlannedFlow = Named & ({ readonly problem: string } | RunnableTests);

export interface RunnableTests {
  /** The file with all tests of the flow. */
  readonly path: string;
  readonly live: LiveFlow;
  readonly tests: FlowTests;
  /** The requested tests. */
  readonly chosen: readonly FlowTestCase[];
}

/** The tests of these files, in file order. `grep` selects tests whose `<flow>: <name>` matches. */
export function planTests(files: readonly LoadedFile[], grep?: RegExp): PlannedFlow[] {
  return files.flatMap((loaded) => {
    const head = { flow: loaded.file.id, file: loaded.file.shown };
    const plan = planFlow(loaded, (name) => grep?.test(`${head.flow}: ${name}`) ?? true);
    return plan === undefined ? [] : [{ ...head, ...plan }];
  });
}

/** Undefined if there is nothing to test. */
function planFlow(
  loaded: LoadedFile,
  isWanted: (name: string) => boolean,
): { problem: string } | RunnableTests | undefined {
  const { file } = loaded;
  if (file.code) return undefined;
  const path = testFileOf(file.path);
  let tests: FlowTests | undefined;
  try {
    tests = readTests(path);
  } catch (error) {
    if (error instanceof BadTests) return { problem: `${testFileOf(file.shown)}: ${error.message}` };
    throw error;
  }
  const chosen = tests?.cases.filter(({ name }) => isWanted(name)) ?? [];
  if (tests === undefined || chosen.length === 0) return undefined;
  const examined = compiledNow(loaded.examined);
  const live = examined.runnable ? servingOf(file.id, examined)?.live : undefined;
  if (live === undefined)
    return { problem: problemLines({ file: file.shown, problems: loaded.problems }).join('\n') };
  return { path, live, tests, chosen };
}
