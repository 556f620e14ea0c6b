import type { FlowTests } from '#shared/flow-test.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { FlowService } from '../../flows/service/flow-types.ts';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';
import { BadTests, parseTests } from './test-file.ts';
import type { TestStore } from './test-store.ts';

const GET = 'SELECT json FROM flow_tests WHERE project = ? AND flow = ?';
const ADD =
  'INSERT INTO flow_tests (project, flow, json) VALUES (?, ?, ?) ON CONFLICT (project, flow) DO NOTHING';
const REPLACE = 'UPDATE flow_tests SET json = ? WHERE project = ? AND flow = ? AND json = ?';

/** How often a change is repeated because another server has changed the same tests meanwhile. */
const ATTEMPTS = 10;

/**
 * Tests in database rows that servers share. A change is applied to the row as it is then, whichever server wrote it.
 */
export function createRowTests(
  flows: Pick<FlowService, 'get'>,
  sql: Sql,
  project: string = DEFAULT_PROJECT,
): TestStore {
  const jsonOf = async (flow: string): Promise<string | undefined> =>
    (await sql.first<{ readonly json: string }>(GET, project, flow))?.json;
  return {
    async read(flow) {
      await flows.get(flow);
      return { file: `${flow}.test.json`, tests: testsIn(flow, await jsonOf(flow)) };
    },
    async change(flow, edit) {
      await flows.get(flow);
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const before = await jsonOf(flow);
        const tests = await edit(testsIn(flow, before));
        const json = JSON.stringify(tests);
        const changed =
          before === undefined
            ? await sql.run(ADD, project, flow, json)
            : await sql.run(REPLACE, json, project, flow, before);
        if (changed > 0) return tests;
      }
      throw new ServiceError('conflict', 'Others change the tests of this flow right now; try again.');
    },
  };
}

function testsIn(flow: string, json: string | undefined): FlowTests {
  if (json === undefined) return { format: 1, cases: [] };
  try {
    return parseTests(json);
  } catch (error) {
    if (!(error instanceof BadTests)) throw error;
    throw new ServiceError(
      'conflict',
      `The tests of flow ${flow} are broken and stay unchanged: ${error.message}.`,
    );
  }
}
