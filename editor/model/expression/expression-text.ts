import type { Path } from '#engine/check';

// Expressions as texts, separate from their evaluation, which is large and loaded later.

/** The path of a value as an expression writes it: `input.items[0]["first name"]`. */
export function pathText(root: string, path: readonly (string | number)[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return /^[A-Za-z_$][\w$]*$/.test(key) ? `${text}.${key}` : `${text}[${JSON.stringify(key)}]`;
  }, root);
}

/** A text with expressions that is edited in the large editor. */
export interface LargeText {
  readonly path: Path;
  readonly title: string;
  readonly text: string;
  /** It may hold texts beside its expressions. */
  readonly isText: boolean;
  /** It is evaluated for each item. */
  readonly isLazy: boolean;
  /** Puts the edited text into its field, as a step of its own. */
  keep(text: string): void;
}
