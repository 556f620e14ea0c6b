/** Position of a value in a flow, as keys and indexes; written `params.cases[0].when` in problems and fixes. */
export type Path = readonly (string | number)[];

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** Keys that the dotted notation cannot hold are written `["like this"]`. */
export function formatPath(path: Path): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (!PLAIN_KEY.test(key)) text += `[${JSON.stringify(key)}]`;
    else text += text === '' ? key : `.${key}`;
  }
  return text;
}

/** The inverse of `formatPath`; undefined if the text is not a path. */
export function parsePath(text: string): (string | number)[] | undefined {
  const path: (string | number)[] = [];
  const link = /(\.?)([A-Za-z_$][\w$-]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
  while (link.lastIndex < text.length) {
    const first = link.lastIndex === 0;
    const match = link.exec(text);
    if (!match) return undefined;
    const [, dot, name, index, quoted] = match;
    if (name !== undefined) {
      if (first !== (dot === '')) return undefined;
      path.push(name);
    } else if (index !== undefined) path.push(Number(index));
    else {
      const key = unquote(quoted ?? '');
      if (key === undefined) return undefined;
      path.push(key);
    }
  }
  return path;
}

function unquote(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

/** Splits a path into its node and the field within that node, as problems name them. */
export function problemPlace(path: Path): { node?: string; field?: string } {
  const [root, node] = path;
  const inNode = root === 'nodes' && typeof node === 'string';
  const field = formatPath(inNode ? path.slice(2) : path);
  return { ...(inNode && { node }), ...(field !== '' && { field }) };
}
