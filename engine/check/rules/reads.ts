import type { InputPort } from '#shared/catalog.ts';
import { type CheckContext, didYouMean, type NodeView } from '../../flow/context.ts';
import type { Path } from '../../flow/field-path.ts';
import { itemPort } from '../../flow/ports.ts';

/** The roots of expressions. */
export const ROOTS: readonly string[] = [
  'input',
  'inputs',
  'trigger',
  'nodes',
  'vars',
  'run',
  'item',
  'index',
  'acc',
];

/** A path that an expression reads, and its position. */
export interface Read {
  readonly view: NodeView;
  /** The param, and its text. */
  readonly field: Path;
  readonly text: string;
  readonly lazy: boolean;
  readonly root: string;
  readonly path: readonly string[];
  readonly tolerant: boolean;
  /** The position in the text. */
  readonly offset: number;
}

/** Reads of everything but other nodes: inputs that exist and carry values, variables that exist, items of a stream. */
export function checkRead(context: CheckContext, read: Read): void {
  switch (read.root) {
    case 'input':
      return checkInput(context, read);
    case 'inputs':
      return checkInputs(context, read);
    case 'item':
    case 'index':
      return checkItem(context, read);
    case 'acc':
      return checkAcc(context, read);
    case 'vars':
      return checkVariable(context, read);
  }
}

export function where({ view, field, offset }: Read) {
  return { node: view.id, path: field, offset };
}

function checkInput(context: CheckContext, read: Read): void {
  const { id, info, ports } = read.view;
  const [port, second] = ports.inputs;
  if (!info) return;
  if (port && !second) return checkPort(context, read, port);
  const message = port
    ? `\`${id}\` has several inputs, so \`input\` could be any; write \`inputs.${port.name}\`.`
    : `\`${id}\` has no input, so \`input\` has no value.${info.trigger ? ' Write `trigger` for the request.' : ''}`;
  context.report({ code: 'expression-unknown-name', message, ...where(read) });
}

function checkInputs(context: CheckContext, read: Read): void {
  const { id, info, ports } = read.view;
  const [name] = read.path;
  if (!info || name === '*') return;
  const port = ports.inputs.find((input) => input.name === name);
  if (port) return checkPort(context, read, port);
  if (name === undefined && ports.inputs.length > 0) return;
  const names = ports.inputs.map((input) => input.name);
  const message =
    name === undefined || names.length === 0
      ? `\`${id}\` has no inputs.`
      : `\`${id}\` has no input \`${name}\`.${didYouMean(context.nearest(name, names))}`;
  context.report({ code: 'expression-unknown-name', message, ...where(read) });
}

/** A stream has no value to read, unless the node runs once for each of its items. */
function checkPort(context: CheckContext, read: Read, port: InputPort): void {
  const { view } = read;
  if (port.kind === 'value' || isItem(read, port)) return;
  if (port.kind === 'either' && !streamsInto(context, view).includes(port.name)) return;
  context.report({
    code: 'stream-read',
    message: `The input \`${port.name}\` of \`${view.id}\` is a stream, which an expression cannot read; collect it first, with \`core.unstreamify\`.`,
    ...where(read),
  });
}

function streamsInto({ kinds }: CheckContext, { incoming }: NodeView): string[] {
  return incoming.filter((e) => kinds.get(`${e.from}.${e.fromPort}`) === 'stream').map((e) => e.toPort);
}

/** The operator that has an accumulated value while it works on its items. */
const FOLD = 'core.reduce';

function checkAcc({ report }: CheckContext, read: Read): void {
  const { id, node, info } = read.view;
  if (!info || read.tolerant || (read.lazy && node.operator === FOLD)) return;
  report({
    code: 'expression-unknown-name',
    message: `\`acc\` exists only in \`${FOLD}\`, which folds items into one value; \`${id}\` does not.`,
    ...where(read),
  });
}

function checkItem(context: CheckContext, read: Read): void {
  const { info, ports, node } = read.view;
  if (!info || read.lazy || read.tolerant) return;
  const port = itemPort(node, info, ports);
  if (port && (node.each ? isItem(read, port) : streamsInto(context, read.view).includes(port.name))) return;
  context.report({
    code: 'expression-unknown-name',
    message: `\`${read.root}\` exists only where a node works on items one by one; \`${read.view.id}\` does not do that here.`,
    ...where(read),
  });
}

/** Whether the read sees one item of the input: everything in a node with `each` does, except the list of items itself. */
function isItem({ view, field }: Read, port: InputPort): boolean {
  return view.node.each !== undefined && port === view.ports.inputs[0] && field[0] !== 'each';
}

function checkVariable(context: CheckContext, read: Read): void {
  const { variables } = context.world;
  const [name] = read.path;
  if (!variables || name === undefined || name === '*' || read.tolerant || variables.includes(name)) return;
  context.report({
    code: 'unknown-variable',
    message: `There is no variable \`${name}\`; create it, or write \`vars.${name} ?? …\`.${didYouMean(context.nearest(name, variables))}`,
    lacks: name,
    ...where(read),
  });
}
