import { gathered, otherItems } from './reads.ts';
import { givesDates } from './modules.ts';
import type { Context } from '../context.ts';
import { namedNodes } from '../expressions/coded.ts';
import { unknownNames } from '../expressions/nothing.ts';
import { zoneOf } from '../flow-settings.ts';
import { SPREAD } from '../graph.ts';
import { shimmed } from './shim.ts';

/** Luxon there works in the time zone of the workflow, or of the whole instance, which no file names. */
export function tellZone(context: Context, source: string): void {
  if (zoneOf(context.job) !== undefined || !givesDates(source)) return;
  context.changed('code', 'The file names no time zone, so dates of its code are in UTC.', { after: 'UTC' });
}

/** What fails in an expression is undefined there, unless it reads a node that gave nothing. */
const SAID =
  'const said = (make) => { try { return make(); } catch (error) { if (error.isTold) throw error; return undefined; } };';

/**
 * Puts the node with the code of expressions between what leads to a step and its nodes. They get the same as before, from a node that
 * passes it on.
 */
export function insertCode(context: Context): void {
  const { coded, added, scope, job, step } = context;
  const { id, port } = coded;
  if (id === undefined || port === undefined) return;
  const readers = new Set(added);
  const fields = coded.sources
    .map((source, i) => `e${i + 1}: said((${unknownNames(source).join(', ')}) => (${source}\n))`)
    .join(',\n');
  const reads = context.reads(port);
  const others = namedNodes(fields).flatMap((name) => otherItems(context, name, reads, true));
  const from = others.length > 0 ? gathered(context, port, { others, perItem: true }) : port;
  const source = shimmed(`${SAID}\nreturn { json: {\n${fields}\n} };`, {
    perItem: true,
    workflow: job.workflow.name,
    hasNodes: others.length > 0,
    zone: zoneOf(job) ?? 'UTC',
  });
  tellZone(context, fields);
  const each = port.card === 'many' ? { each: {} } : {};
  scope.nodes.set(id, { operator: 'code.run', params: { source, maxMs: 60_000, cpuMs: 5000 }, ...each });
  job.naming.place(id, { x: step.position.x * SPREAD, y: step.position.y * SPREAD - 90 });
  added.push(id);
  const rest = context.add(`${step.name} input`, {
    operator: 'core.map',
    params: { value: `{{ ${port.expr} }}` },
  });
  for (const [i, edge] of scope.edges.entries())
    if (edge.from === port.ref && readers.has(edge.to.split('.')[0] as string))
      scope.edges[i] = { ...edge, from: `${rest}.out` };
  context.wire(from, `${id}.in`);
  context.wire(`${id}.out`, `${rest}.in`);
}
