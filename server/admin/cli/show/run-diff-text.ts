import type { RunDiff, RunNodeDiff, ValueChange } from '#shared/run-diff.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { excerpt, valueText } from '../../../execution/history/diff/json-changes.ts';
import { printable } from '../io.ts';

/** The differences of two runs for people: a paragraph for each node that differs. */
export function runDiffText({ before, after, sameVersion, input, nodes, same }: RunDiff): string {
  const lines = [`before  ${runText(before)}`, `after   ${runText(after)}`];
  if (!sameVersion) lines.push('The runs are of different versions.');
  if (input.length > 0) lines.push('input', ...input.map((change) => `  ${changeText(change)}`));
  for (const node of nodes) lines.push(...nodeDiffLines(node, ['before', 'after']));
  if (nodes.length === 0) lines.push(`All ${same} nodes had the same results.`);
  else if (same > 0) lines.push(`${same} other nodes had the same results.`);
  return `${lines.join('\n')}\n`;
}

/** `names`: the labels of the two runs. */
export function nodeDiffLines(
  { node, status, ms, changes, more }: RunNodeDiff,
  names: readonly [string, string],
): string[] {
  const became = status.before === status.after ? status.after : `${status.before} → ${status.after}`;
  const took = ms.before === undefined || ms.after === undefined ? '' : `, ${ms.before} → ${ms.after} ms`;
  const rest = more === undefined ? [] : [`  and ${more} more`];
  const head = `${node} (${became}${took})${changes.length > 0 ? ` from ${names[0]} to ${names[1]}:` : ''}`;
  return [printable(head), ...changes.map((change) => `  ${changeText(change)}`), ...rest];
}

function changeText({ place, before, after }: ValueChange): string {
  const shown = (value: unknown): string => excerpt(valueText(value));
  return printable(`${place}: ${shown(before)} → ${shown(after)}`);
}

function runText({ run, flow, version, status, ms }: RunSummary): string {
  return printable(`${run}  ${flow}@${version} ${status}${ms === undefined ? '' : ` in ${ms} ms`}`);
}
