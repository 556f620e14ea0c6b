type Child = Node | string | undefined;

/** An element with its attributes and children; texts are never parsed as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** Sentences in which text in backticks is code. */
export function prose(text: string): HTMLElement[] {
  return text.split(/\n{2,}/).map((paragraph) => element('p', {}, ...withCode(paragraph)));
}

/** A line in which text in backticks is code. */
export function withCode(text: string): (HTMLElement | string)[] {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (part.startsWith('`') && part.length > 2 ? element('code', {}, part.slice(1, -1)) : part));
}

/** The element of the page with this id. */
export function byId<T extends HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`docs.html has no #${id}.`);
  return found as T;
}
