import type { Context } from '../context.ts';
import { type Reads, Unsayable } from '../expressions/reads.ts';
import { isNever, type Port } from '../graph.ts';

/** The values of other nodes that code reads. */

interface Gathered {
  readonly others: readonly string[];
  /** The number of rounds before, in a loop. */
  readonly round?: string | undefined;
  readonly perItem: boolean;
}

/** A node that puts the items and those of other nodes into one value. */
export function gathered(context: Context, input: Port, { others, round, perItem }: Gathered): Port {
  const own = perItem ? '[input]' : 'input';
  const isList = input.card === 'many' && perItem;
  const id = context.add(`${context.step.name} reads`, {
    operator: 'core.map',
    params: {
      value: `{{ { items: ${own}, nodes: { ${others.join(', ')} }${round === undefined ? '' : `, round: ${round}`} } }}`,
    },
    ...(isList && { each: {} }),
  });
  context.wire(input, `${id}.in`);
  return context.port(id, 'out', { card: isList ? 'many' : 'one' });
}

/** The items of a node that the code names, and the one that belongs to the item. */
export function otherItems(context: Context, name: string, reads: Reads, perItem: boolean): string[] {
  try {
    const all = reads.nodeItemsIfRan(name);
    const own = ownItem(reads, name, perItem);
    return [`${JSON.stringify(name)}: { all: ${all}, own: ${own} }`];
  } catch (error) {
    if (!(error instanceof Unsayable)) throw error;
    context.changed('code', `Its code reads “${name}”, which it cannot here: ${error.message}.`, {
      before: name,
      lost: !isNever(reads.from as Port | undefined, context.job.unused),
    });
    return [];
  }
}

/** Code that runs once has the item that belongs to its first one. */
function ownItem(reads: Reads, name: string, perItem: boolean): string {
  try {
    const own = reads.ownItemIfRan(name);
    return perItem ? own : own.replaceAll(/(?<![.\w])index\b/g, '0');
  } catch (error) {
    if (error instanceof Unsayable) return 'null';
    throw error;
  }
}
