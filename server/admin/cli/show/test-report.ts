import type { Coverage, Covered } from '../../../execution/flow-tests/coverage.ts';
import { type CaseResult, toldDifferences } from '../../../execution/flow-tests/run-case.ts';
import { excerpt, valueText } from '../../../execution/history/diff/json-changes.ts';
import { count, printable } from '../io.ts';

/** The results of the tests of one flow. */
export interface FlowReport {
  readonly flow: string;
  /** The path as shown to people. */
  readonly file: string;
  /** Why no test could run. */
  readonly problem?: string;
  readonly cases: readonly (CaseResult & { readonly updated?: boolean })[];
  /** Number of tests that were not started after a failure. */
  readonly notRun: number;
  /** Undefined if nothing ran. */
  readonly coverage: Coverage | undefined;
}

export function caseLines({ flow, file, problem, cases }: FlowReport): string[] {
  if (problem !== undefined) return [`✗ ${file}`, ...problem.split('\n').map((line) => `    ${line}`)];
  return cases.flatMap((one) => {
    const { name, differences, updated } = one;
    const mark = differences.length === 0 ? '✓' : updated ? '↻' : '✗';
    const line = `${mark} ${flow}: ${printable(name)}${updated ? ' (updated)' : ''}`;
    return differences.length === 0 || updated
      ? [line]
      : [line, ...whyFailed(one).map((why) => `    ${why}`)];
  });
}

const MAX_LINES = 20;

/** The differences, and the error behind them. */
export function whyFailed({ differences, error }: CaseResult): string[] {
  const lines = differences
    .slice(0, MAX_LINES)
    .map(({ place, before, after }) => `${place}: expected ${shown(before)}, got ${shown(after)}`);
  if (differences.length > MAX_LINES) lines.push(`… and ${differences.length - MAX_LINES} more`);
  if (error !== undefined && differences.length > 0) lines.push(errorLine(error));
  return lines;
}

function errorLine({ node, code, message }: NonNullable<CaseResult['error']>): string {
  const at = node === undefined ? 'The run' : node;
  const reason = printable(`${at} failed with ${code}: ${message}`);
  if (code !== 'service_missing' || node === undefined) return reason;
  return `${reason} Tests reach nothing outside: set the outputs of ${node} in \`outputs\` of the test, or its error in \`errors\`.`;
}

function shown(value: unknown): string {
  return printable(excerpt(valueText(value)));
}

/** A line for each kind of part (nodes, edges, branches) with a coverage below `min` per cent. */
export function shortfalls({ flow, coverage }: FlowReport, min: number): string[] {
  return Object.entries(coverage ?? {}).flatMap(([kind, { hit, of }]: [string, Covered]) =>
    hit * 100 >= of * min
      ? []
      : [
          `${flow}: ${Math.floor((hit / of) * 100)} % of the ${kind} are covered, --coverage-min requires ${min} %.`,
        ],
  );
}

export function coverageLines({ flow, coverage }: FlowReport): string[] {
  if (coverage === undefined) return [];
  const { nodes, edges, branches } = coverage;
  const head = `${flow}: ${partText(nodes, 'node')}, ${partText(edges, 'edge')}, ${partText(branches, 'branch', 'branches')}`;
  const missed = [...nodes.missed, ...edges.missed];
  return missed.length === 0 ? [head] : [head, `    never: ${missed.join(', ')}`];
}

function partText({ hit, of }: Covered, one: string, many = `${one}s`): string {
  return `${hit} of ${of} ${of === 1 ? one : many}`;
}

export function summaryLine(reports: readonly FlowReport[]): string {
  const cases = reports.flatMap((report) => report.cases);
  const failed = cases.filter(({ differences, updated }) => differences.length > 0 && !updated).length;
  const broken = reports.filter(({ problem }) => problem !== undefined).length;
  const notRun = reports.reduce((sum, report) => sum + report.notRun, 0);
  if (cases.length === 0 && broken === 0 && notRun === 0)
    return 'There are no tests: put them in <id>.test.json next to a flow.';
  const parts = [`${cases.length - failed} passed`, `${failed} failed`];
  if (broken > 0) parts.push(`${count(broken, 'file')} without a run`);
  if (notRun > 0) parts.push(`${notRun} not run`);
  return parts.join(', ');
}

export function jsonReport(reports: readonly FlowReport[]): unknown {
  return reports.map(({ flow, file, problem, cases, coverage }) => ({
    flow,
    file,
    ...(problem !== undefined && { problem }),
    cases: cases.map(({ name, differences, error, ms, updated }) => ({
      name,
      passed: differences.length === 0,
      ...(updated && { updated }),
      differences: toldDifferences({ differences }),
      ...(error && { error }),
      ms,
    })),
    ...(coverage && { coverage }),
  }));
}

/** The result of one test for a test system. */
interface JunitCase {
  readonly flow: string;
  readonly name: string;
  readonly ms: number;
  /** Undefined if the test passed. */
  readonly failure?: string;
}

/** The results as JUnit XML, which build servers read. */
export function junitXml(cases: readonly JunitCase[]): string {
  const suites = Map.groupBy(cases, ({ flow }) => flow);
  const lines = [...suites].flatMap(([flow, own]) => [
    `  <testsuite name="${escape(flow)}" ${totals(own)}>`,
    ...own.map(caseText),
    '  </testsuite>',
  ]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${totals(cases)}>\n${lines.map((line) => `${line}\n`).join('')}</testsuites>\n`;
}

function totals(cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const seconds = cases.reduce((sum, { ms }) => sum + ms, 0) / 1000;
  return `tests="${cases.length}" failures="${failures}" time="${seconds.toFixed(3)}"`;
}

function caseText({ flow, name, ms, failure }: JunitCase): string {
  const head = `    <testcase classname="${escape(flow)}" name="${escape(name)}" time="${(ms / 1000).toFixed(3)}"`;
  if (failure === undefined) return `${head}/>`;
  return `${head}><failure message="${escape(failure.split('\n', 1)[0] ?? '')}">${escape(failure)}</failure></testcase>`;
}

/** XML cannot represent most control characters. */
function escape(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll(/[<>&"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
