import type { DragEvent } from 'react';

/** A value that is dragged onto a setting, as the expressions that read it. */
export interface DraggedPath {
  /** `input.orders[0].name` */
  readonly path: string;
  /** For settings that are evaluated for each item: `item.name`. */
  readonly item?: string | undefined;
  /** The node whose expressions read it so. */
  readonly node?: string | undefined;
}

const TYPE = 'application/x-weft-path';

/** A text elsewhere gets the expression. */
export function startPathDrag({ dataTransfer }: DragEvent, dragged: DraggedPath): void {
  dataTransfer.setData(TYPE, JSON.stringify(dragged));
  dataTransfer.setData('text/plain', `{{ ${dragged.path} }}`);
  dataTransfer.effectAllowed = 'copy';
  document.body.dataset['drags'] = 'path';
}

export function endPathDrag(): void {
  delete document.body.dataset['drags'];
}

export function isPathDrag({ dataTransfer }: Pick<globalThis.DragEvent, 'dataTransfer'>): boolean {
  return dataTransfer?.types.includes(TYPE) ?? false;
}

/** The dropped value; undefined for anything that our own trees did not write. */
export function droppedPath({
  dataTransfer,
}: Pick<globalThis.DragEvent, 'dataTransfer'>): DraggedPath | undefined {
  try {
    const read: unknown = JSON.parse(dataTransfer?.getData(TYPE) ?? '');
    const { path, item, node } = Object(read) as Partial<Record<keyof DraggedPath, unknown>>;
    if (typeof path !== 'string' || path === '') return undefined;
    const text = (one: unknown) => (typeof one === 'string' ? one : undefined);
    return { path, item: text(item), node: text(node) };
  } catch {
    return undefined;
  }
}
