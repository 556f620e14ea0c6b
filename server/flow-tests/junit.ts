/** The result of one test for a test system. */
export interface JunitCase {
  readonly flow: string;
  readonly name: string;
  readonly ms: number;
  /** Absent if the test passed. */
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
