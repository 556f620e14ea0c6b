import { setImmediate } from 'node:timers/promises';
import type { FlowTests } from '#shared/flow-test.ts';
import type {
  FlowTestReport,
  FlowTestResult,
  GeneratedReport,
  GenerateTestsBody,
  RunTestsBody,
} from '#shared/flow-test-api.ts';
import type { Config } from '../../base/config/config.ts';
import type { FlowService } from '../../flows/service/flow-types.ts';
import type { VariableStore } from '../../flows/service/variable-store.ts';
import type { Redactor } from '../../base/secrets/redactor.ts';
import type { FastifyBaseLogger } from 'fastify';
import { createCode } from '../../integrations/sandbox/create-code.ts';
import { coverageOf } from './coverage.ts';
import { type CaseDeps, type CaseResult, judgeCase, toldDifferences } from './run-case.ts';
import type { TestStore } from './test-store.ts';
import { updatedTests } from './update-tests.ts';

type Deps = {
  readonly flows: FlowService;
  readonly config: Config;
  readonly variables: VariableStore;
  readonly redactor: Redactor;
  readonly log: FastifyBaseLogger;
};

/**
 * Runs tests of a flow as it is edited: its draft, if it has one. Throws `flow_invalid` if the flow cannot run. With
 * `update` the actual results of failing tests replace their expectations.
 */
export async function runTests(
  flow: string,
  { names, update }: RunTestsBody,
  tests: TestStore,
  deps: Deps,
): Promise<FlowTestReport> {
  const live = await deps.flows.draft(flow);
  const wanted = names && new Set(names);
  let results = new Map<string, CaseResult>();
  const judge = async (all: FlowTests): Promise<FlowTests> => {
    results = await judgeAll(live, all, (name) => wanted?.has(name) !== false, deps);
    return updatedTests(all, results);
  };
  if (update) await tests.change(flow, judge);
  else await judge((await tests.read(flow)).tests);
  const ran = [...results.values()];
  return {
    results: ran.map((result) => reportOf(result, update)),
    coverage: asCoverage(
      coverageOf(
        live.flow,
        ran.map(({ events }) => events),
      ),
    ),
  };
}

/** Searches for inputs that the flow as it is edited fails with; see `searchInputs`. */
export async function generateTests(
  flow: string,
  asked: GenerateTestsBody,
  tests: TestStore,
  deps: Deps,
): Promise<GeneratedReport> {
  const live = await deps.flows.draft(flow);
  const { tests: kept } = await tests.read(flow);
  const { searchInputs } = await import('./generated/search.ts');
  return inTestWorld(deps, (world) => searchInputs(live, asked, { kept, deps: world }));
}

/** One after the other, so that other requests are handled in between. */
async function judgeAll(
  live: Parameters<typeof judgeCase>[0],
  { cases }: FlowTests,
  isWanted: (name: string) => boolean,
  deps: Deps,
): Promise<Map<string, CaseResult>> {
  const results = new Map<string, CaseResult>();
  await inTestWorld(deps, async (world) => {
    for (const one of cases) {
      if (!isWanted(one.name)) continue;
      results.set(one.name, await judgeCase(live, one, world));
      await setImmediate();
    }
  });
  return results;
}

/** Tests contact nothing outside, and the sandbox is no exception. */
async function inTestWorld<T>(
  { config, variables, redactor, log }: Deps,
  work: (deps: CaseDeps) => Promise<T>,
): Promise<T> {
  const code = createCode(config, { services: () => ({}), warn: (text) => log.warn(text) });
  try {
    return await work({ code, redactor, vars: variables.snapshot() });
  } finally {
    code?.close();
  }
}

function reportOf(result: CaseResult, update: boolean): FlowTestResult {
  const { name, differences, error, ms } = result;
  return {
    name,
    passed: differences.length === 0,
    updated: update && differences.length > 0,
    differences: toldDifferences(result),
    ...(error && { error }),
    ms,
  };
}

type Coverage = FlowTestReport['coverage'];

function asCoverage({ nodes, edges, branches }: ReturnType<typeof coverageOf>): Coverage {
  const copy = (part: typeof nodes) => ({ ...part, missed: [...part.missed] });
  return { nodes: copy(nodes), edges: copy(edges), branches: copy(branches) };
}
