import { join } from 'node:path';
import { EvaluationSet } from '#shared/evaluation.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import { FlowTests } from '#shared/flow-test.ts';
import { StartError } from '../../base/errors/start-error.ts';
import { findSets, SetFiles } from '../../execution/evaluations/set-files.ts';
import { readTests, testFileOf, writeTests } from '../../execution/flow-tests/test-file.ts';
import { scanFlowFiles } from '../../flows/service/flow-files.ts';

/** A row of the database that is a file when flows are files. */
export interface FolderDocument {
  readonly table: 'flow_tests' | 'evaluation_set';
  readonly row: Readonly<Record<string, string>>;
}

/** Tests and evaluation sets in flows folders, as database rows. */
export class FolderDocuments {
  private readonly roots: readonly [string, ...string[]];

  constructor(roots: readonly [string, ...string[]]) {
    this.roots = roots;
  }

  /** Throws a `StartError` that names the unreadable file. */
  all(): FolderDocument[] {
    const tests = new Map<string, FolderDocument>();
    for (const { id, path, shown } of scanFlowFiles(this.roots)) {
      if (tests.has(id)) continue;
      const found = readable(testFileOf(shown), () => readTests(testFileOf(path)));
      if (found) tests.set(id, { table: 'flow_tests', row: { flow: id, json: JSON.stringify(found) } });
    }
    const sets = [...findSets(this.roots).values()].map((set): FolderDocument => {
      const json = JSON.stringify(readable(set.shown, () => set.read()));
      return { table: 'evaluation_set', row: { id: set.id, json } };
    });
    return [...tests.values(), ...sets];
  }

  /** Throws a `StartError` if the row is damaged. */
  async put({ table, row: { id, flow, json = '' } }: FolderDocument): Promise<void> {
    const [home] = this.roots;
    const name = table === 'flow_tests' ? flow : id;
    if (name === undefined || !ID_PATTERN.test(name)) throw new StartError(`A row of ${table} is damaged.`);
    if (table === 'flow_tests') {
      const tests = readable(`The tests of ${name}`, () => FlowTests.parse(JSON.parse(json)));
      return writeTests(join(home, `${name}.test.json`), tests);
    }
    const set = readable(`The evaluation ${name}`, () => EvaluationSet.parse(JSON.parse(json)));
    await new SetFiles([home]).change(name, () => set);
  }
}

function readable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(`${what} cannot be read: ${why}`);
  }
}
