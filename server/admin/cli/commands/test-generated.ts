import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FlowTests } from '#shared/flow-test.ts';
import { type GeneratedFailure, type GeneratedReport, GenerateTestsBody } from '#shared/flow-test-api.ts';
import { parseExactly } from '#shared/lost-digits.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import { compiledNow } from '../../../flows/service/examine.ts';
import { servingOf } from '../../../flows/service/entry.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import { searchInputs } from '../../../execution/flow-tests/generated/search.ts';
import type { CaseDeps } from '../../../execution/flow-tests/run-case.ts';
import { BadTests, readTests, testFileOf, writeTests } from '../../../execution/flow-tests/test-file.ts';
import { excerpt, valueText } from '../../../execution/history/diff/json-changes.ts';
import { createCode } from '../../../integrations/sandbox/create-code.ts';
import { createRedactor } from '../../../base/secrets/redactor.ts';
import { inputSchema } from '../../../execution/starts/manual-run.ts';
import { count, type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { findFlowFiles, type LoadedFile, loadFlowFiles } from '../local/load-flow-files.ts';
import { openProject, withCode } from '../local/project.ts';
import { problemLines } from '../show/print-problems.ts';

export interface GeneratedOptions {
  /** Flow files or folders; by default the flows folders of the settings. */
  readonly paths: readonly string[];
  /** Number of inputs; true for the usual one. */
  readonly generate?: number | true;
  readonly seed: number;
  readonly seconds: number;
  readonly wrong: boolean;
  readonly holds?: string;
  /** File with a JSON Schema. */
  readonly matches?: string;
  readonly allow?: readonly string[];
  readonly like?: string;
  /** Whether failing inputs are written into the file of tests. */
  readonly keep: boolean;
  readonly json: boolean;
}

/** `weft test --generate`: looks for inputs that flows with a request model fails with. Exit code 1 if there are any. */
export async function testGenerated(options: GeneratedOptions, io: Io): Promise<ExitCode> {
  const asked = bodyOf(options, io);
  const opened = await openProject(io);
  const files = findFlowFiles(options.paths.length > 0 ? options.paths : opened.config.flows, io.cwd);
  const project = await withCode(opened, files);
  const code = createCode(project.config, {
    services: () => ({}),
    warn: (text) => io.stderr.write(`${text}\n`),
  });
  const deps = { code, redactor: createRedactor(), vars: project.variables.values };
  const reports: object[] = [];
  let isGood = true;
  try {
    const loaded = loadFlowFiles(files, project).filter((one) => one.problems.length > 0 || hasModel(one));
    if (loaded.length === 0) throw new UsageError('None of these flows has a trigger with a request model.');
    for (const one of loaded) {
      const report = await searched(one, asked, deps);
      const kept = options.keep && 'failures' in report ? await keep(one, report.failures) : 0;
      isGood &&= 'failures' in report && report.failures.length === 0;
      reports.push({ flow: one.file.id, file: one.file.shown, ...report });
      if (!options.json) io.stdout.write(`${linesOf(one.file.id, report, kept).join('\n')}\n`);
    }
  } finally {
    code?.close();
  }
  if (options.json) writeJson(io, { flows: reports });
  return isGood ? 0 : 1;
}

function bodyOf(
  { generate, paths: _, keep: __, json: ___, matches, ...rest }: GeneratedOptions,
  io: Io,
): GenerateTestsBody {
  const { seed, seconds, wrong, holds, allow, like } = rest;
  const given = {
    seed,
    seconds,
    wrong,
    holds,
    allow,
    like,
    ...(typeof generate === 'number' && { count: generate }),
  };
  const schema = matches === undefined ? undefined : readSchema(matches, io);
  const parsed = GenerateTestsBody.safeParse({ ...given, ...(schema !== undefined && { matches: schema }) });
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const option = first?.path[0] === 'count' ? 'generate' : String(first?.path[0]);
  throw new UsageError(`--${option}: ${first?.message}`);
}

function readSchema(file: string, io: Io): unknown {
  try {
    return parseExactly(readFileSync(resolve(io.cwd, file), 'utf8'));
  } catch (error) {
    throw new UsageError(`--matches: ${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}

function liveOf({ file, examined }: LoadedFile): LiveFlow | undefined {
  const compiled = compiledNow(examined);
  return compiled.runnable ? servingOf(file.id, compiled)?.live : undefined;
}

function hasModel(loaded: LoadedFile): boolean {
  const live = liveOf(loaded);
  return (
    live !== undefined && [...live.compiled.plans.keys()].some((id) => inputSchema(live, id) !== undefined)
  );
}

type Searched = GeneratedReport | { readonly problem: string };

async function searched(loaded: LoadedFile, asked: GenerateTestsBody, deps: CaseDeps): Promise<Searched> {
  const live = liveOf(loaded);
  if (live === undefined)
    return { problem: problemLines({ file: loaded.file.shown, problems: loaded.problems }).join('\n') };
  try {
    return await searchInputs(live, asked, { kept: testsOf(loaded), deps });
  } catch (error) {
    if (error instanceof ServiceError && error.param === 'holds')
      throw new UsageError(`--holds: ${error.message}`);
    if (error instanceof ServiceError || error instanceof BadTests) return { problem: error.message };
    throw error;
  }
}

function testsOf({ file }: LoadedFile): FlowTests {
  return readTests(testFileOf(file.path)) ?? { format: 1, cases: [] };
}

/** Returns the number of new ones. */
async function keep(loaded: LoadedFile, failures: readonly GeneratedFailure[]): Promise<number> {
  const tests = testsOf(loaded);
  const known = new Set(tests.cases.map(({ name }) => name));
  const news = failures.map(({ test }) => test).filter(({ name }) => !known.has(name));
  if (news.length > 0)
    await writeTests(testFileOf(loaded.file.path), { ...tests, cases: [...tests.cases, ...news] });
  return news.length;
}

function linesOf(flow: string, report: Searched, kept: number): string[] {
  if ('problem' in report) return [`✗ ${flow}`, ...report.problem.split('\n').map((line) => `    ${line}`)];
  const { failures, made, refused, ended, seed, coverage } = report;
  const shown = (value: unknown): string => printable(excerpt(valueText(value)));
  const { hit, of } = coverage.nodes;
  const tail = [
    ...(refused > 0 ? [`${refused} of them refused by the trigger`] : []),
    ...(ended === 'time' ? ['the time was over'] : []),
    `${hit} of ${count(of, 'node')} reached`,
    `seed ${seed}`,
  ];
  return [
    `${failures.length === 0 ? '✓' : '✗'} ${flow}: ${count(made, 'input')}, ${tail.join(', ')}`,
    ...failures.flatMap(({ sent, error, differences }) => [
      `    ${shown(sent)}`,
      error === undefined
        ? `        ${differences[0]?.path}: expected ${shown(differences[0]?.expected)}, got ${shown(differences[0]?.actual)}`
        : `        ${printable(`${error.node ?? 'The run'} failed with ${error.code}: ${error.message}`)}`,
    ]),
    ...(kept > 0 ? [`    kept: ${count(kept, 'test')}`] : []),
  ];
}
