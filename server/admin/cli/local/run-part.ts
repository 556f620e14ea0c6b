import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '#engine/check';
import type { NodeOutputs } from '#shared/api.ts';
import { Id } from '#shared/flow.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import { isPartial, type PartialRun, partialRun } from '../../../execution/starts/partial/partial-run.ts';
import { createPins } from '../../../execution/starts/partial/pins.ts';
import { createSqlState } from '../../../execution/state/sql-state.ts';
import { openWeftSql } from '../../../storage/database/weft-tables.ts';
import { type Io, printable, UsageError } from '../io.ts';
import { isRunFile, type KeptRuns, runOfFile, withKeptRuns } from './kept-runs.ts';
import type { Project } from './project.ts';

/** The options of a command for a partial run. */
export interface PartOptions {
  readonly from?: string | undefined;
  readonly only?: string | undefined;
  /** `last`, the id of a stored run, or a file with a run. */
  readonly reuse?: string | undefined;
  /** `node.port=json`. */
  readonly output: readonly string[];
  readonly pins: boolean;
  /** Nodes that may change something outside although they were not requested. */
  readonly allowWrites: readonly string[];
}

interface Where {
  readonly project: Project;
  readonly io: Io;
}

/**
 * The flow with a plan for the requested part; undefined for a whole run. Throws `ServiceError` like the server's
 * route.
 */
export async function partOf(
  live: LiveFlow,
  trigger: string,
  options: PartOptions & { readonly input: unknown },
  where: Where,
): Promise<PartialRun | undefined> {
  const { from, only, reuse, allowWrites, input } = options;
  const outputs = outputsOf(options.output);
  const pins = options.pins ? await keptPins(live.id, where.project) : {};
  const wish = { from, only, reuse, outputs, pins, allowWrites, input };
  if (!isPartial(wish)) return undefined;
  const decide = (runs: KeptRuns, named = reuse) =>
    partialRun({ runs, flowAt: flowAt(where.project) }, live, trigger, { ...wish, reuse: named });
  if (reuse !== undefined && isRunFile(reuse, where.io)) {
    const { run, runs } = runOfFile(reuse, where.io);
    return decide(runs, run.run);
  }
  return withKeptRuns(where.project.config, where.io, decide);
}

/** Reads several `node.port=json` as outputs by node. */
function outputsOf(assignments: readonly string[]): NodeOutputs | undefined {
  if (assignments.length === 0) return undefined;
  const outputs: Record<string, NodeOutputs[string]> = {};
  for (const text of assignments) {
    const [, node = '', port = '', json = ''] = /^([^.=]*)\.([^.=]*)=(.*)$/s.exec(text) ?? [];
    if (!Id.safeParse(node).success || !Id.safeParse(port).success)
      throw new UsageError(`--output ${text}: write node.port=json, as in fetch.body='"hello"'.`);
    outputs[node] = { ...outputs[node], [port]: valueOf(`${node}.${port}`, json) };
  }
  return outputs;
}

function valueOf(end: string, json: string): NodeOutputs[string][string] {
  try {
    return JSON.parse(json) as NodeOutputs[string][string];
  } catch {
    throw new UsageError(
      `--output ${end}: the value is not JSON; a text needs quotes, as in '${end}="text"'.`,
    );
  }
}

/** The pins in the data folder; none without such a folder. */
async function keptPins(flow: string, { config: { data } }: Project): Promise<NodeOutputs> {
  if (!existsSync(join(data, 'weft.db'))) return {};
  const sql = openWeftSql(data);
  try {
    return await createPins(createSqlState(sql, Date.now)).get(flow);
  } finally {
    await sql.close();
  }
}

/** Versions that went live are stored in the data folder. */
function flowAt({ config: { data } }: Project) {
  return async (id: string, version: string) => {
    const file = join(data, 'versions', id, `${version}.json`);
    return existsSync(file) ? parse(readFileSync(file, 'utf8'), { id }).flow : undefined;
  };
}

/** The decisions as a table, below the reused run. */
export function partText({ reused, decisions }: Pick<PartialRun, 'reused' | 'decisions'>): string {
  const width = Math.max(...decisions.map(({ node }) => node.length));
  const lines = decisions.map(
    ({ node, does, reason }) => `  ${node.padEnd(width)}  ${does.padEnd(8)}  ${printable(reason)}\n`,
  );
  const head = reused === undefined ? 'No earlier run is used.' : `Outputs of the run ${reused} are used.`;
  return `${head}\n${lines.join('')}`;
}
