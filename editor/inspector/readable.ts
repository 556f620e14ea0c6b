import { ArrowLeft, Braces, LogIn, type LucideIcon, Play, Repeat } from 'lucide-react';
import type { Catalog } from '#shared/catalog.ts';
import type { Doc } from '../model/document/document.ts';
import { nodeIn } from '../model/document/flat.ts';
import { titleOf } from '../model/document/geometry.ts';
import type { ExpressionScope } from '../model/expression/expression-scope.ts';
import { pathText } from '../model/expression/expression-text.ts';
import { membersOf } from '../model/expression/source-members.ts';
import type { Source } from '../model/expression/source.ts';

/** Something that expressions of a node can read, under the name that people know. */
export interface Readable {
  /** How expressions begin that read it: `nodes.orders`. */
  readonly root: string;
  readonly title: string;
  readonly source: Source;
  readonly icon: LucideIcon;
}

interface Around {
  readonly doc: Doc;
  readonly catalog: Catalog;
}

/** Earlier nodes, the trigger and variables. */
export function readableBeside(scope: ExpressionScope, { doc, catalog }: Around): readonly Readable[] {
  const nodes = [...(scope.get('nodes')?.parts ?? [])].map(([node, source]): Readable => {
    const found = nodeIn(doc.flow, node);
    return {
      root: pathText('nodes', [node]),
      title: found ? titleOf(found, catalog) : node,
      source,
      icon: ArrowLeft,
    };
  });
  const named = (['trigger', 'vars'] as const).flatMap((root): Readable[] => {
    const source = scope.get(root);
    if (!source || membersOf(source).size === 0) return [];
    const [title, icon] = root === 'vars' ? (['Variables', Braces] as const) : (['Trigger', Play] as const);
    return [{ root, title, source, icon }];
  });
  return [...nodes, ...named];
}

const OF_ITEM: Readonly<Record<string, string>> = {
  item: 'Item',
  index: 'Index',
  acc: 'Accumulated value',
};

/** Everything, what is nearest first: the inputs, the item that is worked on, then the rest. */
export function readableIn(scope: ExpressionScope, around: Around): readonly Readable[] {
  const ports = [...(scope.get('inputs')?.parts ?? [])];
  const inputs = ports.map(
    ([port, source]): Readable => ({
      root: ports.length === 1 ? 'input' : pathText('inputs', [port]),
      title: ports.length === 1 ? 'Input' : port,
      source: ports.length === 1 ? (scope.get('input') ?? source) : source,
      icon: LogIn,
    }),
  );
  const items = Object.entries(OF_ITEM).flatMap(([root, title]): Readable[] => {
    const source = scope.get(root);
    return source ? [{ root, title, source, icon: Repeat }] : [];
  });
  const run = scope.get('run');
  return [
    ...inputs,
    ...items,
    ...readableBeside(scope, around),
    ...(run ? [{ root: 'run', title: 'Run', source: run, icon: Play }] : []),
  ];
}
