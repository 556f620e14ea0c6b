import { fork } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isAbsurd, type Line, type Scenario, verdictOf } from './harness.ts';
import { asJson, type Section, table } from './report.ts';
import { apps } from './scenarios/apps.ts';
import { bodies } from './scenarios/bodies.ts';
import { chat } from './scenarios/chat.ts';
import { checkFlow } from './scenarios/check.ts';
import { cluster } from './scenarios/cluster.ts';
import { clusterChanges } from './scenarios/cluster-changes.ts';
import { clusterParked } from './scenarios/cluster-parked.ts';
import { clusterSteps } from './scenarios/cluster-steps.ts';
import { clusterTakeover } from './scenarios/cluster-takeover.ts';
import { code } from './scenarios/code.ts';
import { coldStart } from './scenarios/cold-start.ts';
import { durable } from './scenarios/durable.ts';
import { editor } from './scenarios/editor.ts';
import { editorLit } from './scenarios/editor-lit.ts';
import { engine } from './scenarios/engine.ts';
import { expression } from './scenarios/expression.ts';
import { flowTests } from './scenarios/flow-tests.ts';
import { forEach } from './scenarios/for-each.ts';
import { furtherNode } from './scenarios/further-node.ts';
import { journal } from './scenarios/journal.ts';
import { knowledge } from './scenarios/knowledge.ts';
import { manyFlows } from './scenarios/many-flows.ts';
import { masks } from './scenarios/masks.ts';
import { memory } from './scenarios/memory.ts';
import { neighbours } from './scenarios/neighbours.ts';
import { rows } from './scenarios/rows.ts';
import { saves } from './scenarios/saves.ts';
import { sql } from './scenarios/sql.ts';
import { streamAnswer } from './scenarios/stream-answer.ts';
import { streams } from './scenarios/streams.ts';
import { trigger } from './scenarios/trigger.ts';
import { waitingRuns } from './scenarios/waiting-runs.ts';
import { websocket } from './scenarios/websocket.ts';

/**
 * `npm run bench`: measures the product's promises about speed and memory, prints a table of figures, bars and
 * verdicts, and fails only if something could not be measured. `--quick` is the smoke test: short rounds, and it also
 * fails if a figure is more than ten times worse than its bar.
 */
const scenarios: readonly Scenario[] = [
  trigger,
  apps,
  furtherNode,
  masks,
  engine,
  forEach,
  expression,
  code,
  neighbours,
  checkFlow,
  streams,
  coldStart,
  memory,
  bodies,
  journal,
  rows,
  knowledge,
  sql,
  durable,
  flowTests,
  manyFlows,
  saves,
  streamAnswer,
  chat,
  waitingRuns,
  cluster,
  clusterSteps,
  clusterParked,
  clusterTakeover,
  clusterChanges,
  websocket,
  editor,
  editorLit,
];

const usage = `npm run bench -- [--quick] [--only name,name] [--json]

  --quick  short rounds; fails when a figure is more than ten times as bad as its bar
  --only   ${scenarios.map(({ name }) => name).join(', ')}
  --json   the result as JSON on standard output
`;

/** The message from the process of a scenario. */
type Message = { readonly lines: Line[] } | { readonly error: string };

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      only: { type: 'string' },
      scenario: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const [own] = values.scenario === undefined ? [] : find(values.scenario);
  if (own !== undefined) return runHere(own, values.quick);

  const chosen = values.only === undefined ? scenarios : values.only.split(',').flatMap(find);
  const sections = await (values.quick ? smokeTest(chosen) : measured(chosen, { quick: false, atOnce: 1 }));
  process.stdout.write(values.json ? asJson(sections, machine()) : table(sections));
  if (!values.json) process.stdout.write(`\n${summary(sections)}\n`);
  const bad = sections.flatMap((section) => problemsOf(section, values.quick));
  if (bad.length > 0) process.stderr.write(`\n${bad.join('\n')}\n`);
  process.exitCode = bad.length === 0 ? 0 : 1;
}

/** A name stands for its parts too: `cluster` for `cluster-steps`. The scenario itself comes first. */
function find(name: string): Scenario[] {
  const wanted = name.trim();
  const found = scenarios.filter((one) => one.name === wanted || one.name.startsWith(`${wanted}-`));
  if (found.some((one) => one.name === wanted)) return found;
  process.stderr.write(`There is no benchmark ${name}.\n\n${usage}`);
  process.exit(2);
}

async function measured(
  chosen: readonly Scenario[],
  { quick, atOnce }: { readonly quick: boolean; readonly atOnce: number },
): Promise<Section[]> {
  const sections: Section[] = [];
  const left = chosen.entries();
  async function next(): Promise<void> {
    for (const [at, scenario] of left) sections[at] = await runApart(scenario, quick);
  }
  await Promise.all(Array.from({ length: atOnce }, next));
  return sections;
}

/**
 * Two at a time, because each leaves a good third of two cores idle. One that is absurd is measured once more, alone: of short rounds
 * beside another some say nothing.
 */
async function smokeTest(chosen: readonly Scenario[]): Promise<Section[]> {
  const sections = await measured(chosen, { quick: true, atOnce: 2 });
  for (const [at, scenario] of chosen.entries()) {
    const problems = problemsOf(sections[at] as Section, true);
    if (problems.length === 0) continue;
    process.stderr.write(`${problems.join('\n')}\nOnce more, alone:\n`);
    sections[at] = await runApart(scenario, true);
  }
  return sections;
}

/** A smoke test that is not over by then hangs, and would keep who waits for it: the longest one takes a minute on a slow machine. */
const LIMIT_MS = 4 * 60_000;
/** On SIGTERM it ends what it started, for which it has this long. */
const STOP_MS = 10_000;

/** Each scenario has its own process, so its effects on the compiler and the heap do not affect the next one. */
function runApart(scenario: Scenario, quick: boolean): Promise<Section> {
  const { name, title } = scenario;
  process.stderr.write(`${title} …\n`);
  const started = performance.now();
  const args = ['--scenario', name, ...(quick ? ['--quick'] : [])];
  return new Promise((resolve) => {
    const child = fork(fileURLToPath(import.meta.url), args, { stdio: ['ignore', 2, 2, 'ipc'] });
    let message: Message = { error: 'its process ended without a result' };
    const stop = (): void => void child.kill('SIGTERM');
    process.once('exit', stop);
    child.on('message', (told) => {
      message = told as Message;
    });
    const limit =
      quick &&
      setTimeout(() => {
        message = { error: `it was not over after ${LIMIT_MS / 60_000} minutes` };
        stop();
        setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
      }, LIMIT_MS);
    child.on('close', () => {
      if (limit) clearTimeout(limit);
      process.off('exit', stop);
      process.stderr.write(`  ${name}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
      const lines = 'lines' in message ? message.lines : [];
      resolve({ name, title, lines, error: 'error' in message ? message.error : undefined });
    });
  });
}

async function runHere(scenario: Scenario, quick: boolean): Promise<void> {
  const say = (text: string): void => void process.stderr.write(`  ${scenario.name}: ${text}\n`);
  const message: Message = await scenario.run({ quick, say }).then(
    (lines) => ({ lines }),
    (error: unknown) => ({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
  // What a failed one left open would keep its process, and who waits for it, for ever.
  process.send?.(message, () => ('error' in message ? process.exit() : process.disconnect()));
}

/** What could not be measured, and in a smoke test what is absurd. */
function problemsOf({ title, lines, error }: Section, quick: boolean): string[] {
  if (error !== undefined) return [`Could not be measured: ${title}`];
  const absurd = quick ? lines.filter(isAbsurd) : [];
  return absurd.map(
    ({ name, figure, unit, bar }) =>
      `More than ten times as bad as its bar: ${title}: ${name.trim()}: ${figure} ${unit ?? ''} (bar ${bar?.value})`,
  );
}

function summary(sections: readonly Section[]): string {
  const verdicts = sections.flatMap(({ lines }) => lines.map(verdictOf));
  const count = (wanted: string): number => verdicts.filter((verdict) => verdict === wanted).length;
  const failed = sections.filter(({ error }) => error !== undefined).length;
  return `${count('PASS')} pass, ${count('MISS')} miss, ${failed} could not be measured`;
}

function machine(): Record<string, unknown> {
  const [cpu] = cpus();
  return {
    node: process.version,
    platform: `${process.platform} ${release()}`,
    cpu: cpu?.model,
    cores: cpus().length,
    memoryMB: Math.round(totalmem() / 1024 ** 2),
  };
}

await main();
