/** Patterns of paths, such as `/data/*.{pdf,png}`: the folder before them, and the rest as a regular expression. */

export interface FilePattern {
  /** The folder that has all of them, below the root. */
  readonly folder: string;
  /** In the syntax of expressions, for the whole path. */
  readonly source: string;
  /** Whether it leads into folders in the folder. */
  readonly deep: boolean;
}

const SPECIAL = /[*?{[]/;

export const isPattern = (path: string): boolean => SPECIAL.test(path);

/** Undefined for a pattern with signs that it does not understand. */
export function filePattern(given: string): FilePattern | undefined {
  const path = given.replace(/^(?:\.?\/)+/, '');
  const parts = path.split('/');
  const first = parts.findIndex(isPattern);
  const source = sourceOf(path);
  if (source === undefined || first === -1) return undefined;
  return {
    folder: parts.slice(0, first).join('/'),
    source: `^${source}$`,
    deep: first < parts.length - 1 || path.includes('**'),
  };
}

const PARTS: Readonly<Record<string, string>> = {
  '**/': '(?:[^/]+/)*',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};

/** Groups of alternatives stand in braces, not within each other. */
function sourceOf(path: string): string | undefined {
  if (/[[!(]/.test(path) || !/^[^{}]*(?:\{[^{}]*\}[^{}]*)*$/.test(path)) return undefined;
  return path
    .split(/\{([^{}]*)\}/)
    .map((text, at) => (at % 2 === 0 ? plain(text) : `(?:${text.split(',').map(plain).join('|')})`))
    .join('');
}

const plain = (text: string): string =>
  text.replaceAll(/\*\*\/|\*\*|\*|\?|[.+^$()|[\]\\]/g, (sign) => PARTS[sign] ?? `\\${sign}`);
