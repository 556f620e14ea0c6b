/** What is read of the nodes of a page; the server knows no types of browsers. */
export interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: Iterable<PageNode>;
  readonly parentNode: PageNode | null;
  getAttribute(name: string): string | null;
}

/** The first one on top. One by one, since a page may have more of them than a call may have arguments. */
export function pushChildren(open: (PageNode | string)[], { childNodes }: PageNode): void {
  for (const child of [...childNodes].reverse()) open.push(child);
}
