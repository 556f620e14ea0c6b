import { foreignModules, importsOf, opensConnections } from '../../frame/python-modules.ts';
import type { Context } from '../context.ts';
import { NotHere } from '../entry.ts';
import { namedNodes } from '../expressions/coded.ts';
import { following, type Port } from '../graph.ts';
import { itemwise, listPort } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { namesAsInJs, pythonLacking, shimmedPython } from '../code/python-shim.ts';
import { gathered, otherItems } from '../code/reads.ts';

/** Python runs in the operator of the package; its items are unwrapped by the node behind it. */
export function python(context: Context, input: Port): Given {
  const { params, step, job } = context;
  const source = params.text('pythonCode') ?? params.text('jsCode') ?? '';
  assertRunnable(source);
  for (const { message, before } of pythonLacking(source))
    context.changed('code', message, { before, lost: true });
  const perItem = params.text('mode') === 'runOnceForEachItem';
  const id = pythonNode(context, perItem ? input : (listPort(context, input) as Port), source, perItem);
  job.report.need({
    kind: 'package',
    name: 'weft-python',
    nodes: [],
    message: 'Install Python for code nodes: weft add weft-python.',
  });
  const isOne = perItem && input.card === 'one';
  const items = context.add(`${step.name} items`, {
    operator: 'core.map',
    params: {
      value: isOne
        ? '{{ [input].flat()[0]?.json ?? [input].flat()[0] }}'
        : '{{ compact([input].flat()).flat().map(one => one?.json ?? one) }}',
    },
  });
  context.wire(`${id}.out`, `${items}.in`);
  const own = new Set([step.name]);
  if (!isOne) return gives(context.port(items, 'out', { card: 'many', mayBeEmpty: true, aligned: own }));
  return gives(context.port(items, 'out', { card: 'one', ...following(input, step.name) }));
}

function assertRunnable(source: string): void {
  const foreign = foreignModules(importsOf(source));
  if (foreign.length > 0)
    throw new NotHere(`its Python needs ${foreign.slice(0, 5).join(', ')}, which is not there`, [
      'code.run, with the code written anew in JavaScript',
      'code.python, with the library of Python alone',
    ]);
  if (opensConnections(source))
    throw new NotHere('its Python opens connections by itself', ['code.python with ctx.fetch']);
}

/** The code, behind a node that collects the other nodes' items if it reads any. */
function pythonNode(context: Context, input: Port, source: string, perItem: boolean): string {
  const isEach = perItem && input.card === 'many';
  const reads = context.reads(input);
  const others = namedNodes(namesAsInJs(source)).flatMap((name) => otherItems(context, name, reads, perItem));
  const hasNodes = others.length > 0;
  const workflow = context.job.workflow.name;
  const node = {
    operator: 'code.python',
    params: { source: shimmedPython(source, { perItem, workflow, hasNodes }), maxMs: 60_000 },
  };
  const from = hasNodes ? gathered(context, input, { others, perItem }) : input;
  return itemwise(context, { ...from, card: isEach ? 'many' : 'one' }, node, {
    ...(isEach && { atOnce: 1 }),
  });
}
