import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from '#engine/check';
import { diffFlows } from '#engine/edit';
import type { FlowChange } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import { summaryOf } from '#shared/summary.ts';
import { excerpt, valueText } from '../../../execution/history/diff/json-changes.ts';
import { runDiff } from '../../../execution/history/diff/run-diff.ts';
import { keptRun } from '../../../execution/history/kept-run.ts';
import { findFlow } from '../local/find-flow.ts';
import { type ExitCode, type Io, printable, UsageError, writeJson } from '../io.ts';
import { withKeptRuns } from '../local/kept-runs.ts';
import { openProject, type Project, readSettings } from '../local/project.ts';
import { runDiffText } from '../show/run-diff-text.ts';

export interface DiffOptions {
  /** A flow's id or file, or `<flow>@<version>` for one that went live. */
  readonly before: string;
  readonly after: string;
  /** Both are ids of stored runs. */
  readonly runs: boolean;
  readonly json: boolean;
}

/**
 * `weft diff`: shows the changes between two flows, or the differences between two runs. Exit code 1 if there is a
 * difference.
 */
export async function diff(options: DiffOptions, io: Io): Promise<ExitCode> {
  const { before, after, json } = options;
  if (options.runs) return diffRuns(options, io);
  const project = await openProject(io);
  const [old, now] = [readFlow(before, project, io), readFlow(after, project, io)];
  const changes = diffFlows(old, now);
  if (json) writeJson(io, { before, after, changes });
  else
    for (const change of changes)
      io.stdout.write(`${changeText(change)}${doesText(change, { old, now }, project)}\n`);
  return changes.length === 0 ? 0 : 1;
}

async function diffRuns({ before, after, json }: DiffOptions, io: Io): Promise<ExitCode> {
  const [one, other] = await withKeptRuns(readSettings(io), io, (runs) =>
    Promise.all([keptRun(runs, before), keptRun(runs, after)]),
  );
  const found = runDiff(one, other);
  if (json) writeJson(io, found);
  else io.stdout.write(runDiffText(found));
  return found.nodes.length === 0 && found.input.length === 0 ? 0 : 1;
}

function readFlow(name: string, project: Project, io: Io): Flow {
  const path = pathOf(name, project, io);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(`${name} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  const { flow, problems } = parse(text);
  if (flow) return flow;
  throw new UsageError(`${name} is not a flow: ${problems[0]?.message ?? 'it does not parse'}`);
}

const KEPT = /^([a-z][a-z0-9_]{0,63})@([0-9a-f]{16})$/;

function pathOf(name: string, project: Project, io: Io): string {
  const [, id, version] = KEPT.exec(name) ?? [];
  if (id === undefined || existsSync(resolve(io.cwd, name))) return findFlow(name, project, io).path;
  const path = join(project.config.data, 'versions', id, `${version}.json`);
  if (existsSync(path)) return path;
  throw new UsageError(
    `There is no version ${version} of ${id} in the data folder; the editor's list of versions has them.`,
  );
}

/** One line per change: `+` added, `-` removed, `~` changed. */
export function changeText(change: FlowChange): string {
  switch (change.kind) {
    case 'node-added':
      return `+ node ${change.node} (${change.operator})`;
    case 'node-removed':
      return `- node ${change.node} (${change.operator})`;
    case 'node-renamed':
      return `~ node ${change.node} is now called ${change.to}`;
    case 'node-changed':
      return `~ ${change.node} ${valuesText(change)}`;
    case 'edge-added':
      return `+ edge ${edgeText(change)}`;
    case 'edge-removed':
      return `- edge ${edgeText(change)}`;
    case 'flow-changed':
      return `~ flow ${valuesText(change)}`;
  }
}

function edgeText({
  from,
  to,
  pick,
}: {
  readonly from: string;
  readonly to: string;
  readonly pick?: string | undefined;
}): string {
  return `${from}${pick === undefined ? '' : ` (${pick})`} > ${to}`;
}

/** What a node does that is new or gone. */
function doesText(
  change: FlowChange,
  { old, now }: { readonly old: Flow; readonly now: Flow },
  { registry }: Project,
): string {
  if (change.kind !== 'node-added' && change.kind !== 'node-removed') return '';
  const node = (change.kind === 'node-added' ? now : old).nodes[change.node];
  const info = registry.catalog.operators[change.operator];
  return node && info ? `: ${printable(summaryOf(node, info))}` : '';
}

function valuesText({ path, before, after }: { path: string; before?: unknown; after?: unknown }): string {
  return `${path}: ${shown(before)} → ${shown(after)}`;
}

function shown(value: unknown): string {
  return printable(excerpt(valueText(value)));
}
