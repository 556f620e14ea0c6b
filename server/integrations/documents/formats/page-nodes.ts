/** The part of DOM nodes that the readers use; the server has no DOM types. */
export interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: Iterable<PageNode>;
  readonly parentNode: PageNode | null;
  getAttribute(name: string): string | null;
}

/**
 * Pushes the children of a node so that the first one is on top. One by one, since a page may have more children than a call may
 * have arguments.
 */
export function pushChildren(open: (PageNode | string)[], { childNodes }: PageNode): void {
  for (const child of [...childNodes].reverse()) open.push(child);
}
