import type { Fix } from '#shared/problem.ts';
import { formatPath, type Path } from '../../flow/field-path.ts';

/** A fix replaces the first match of its text, so the text includes as much before the word as it takes to be unique. */
export function replaceWord(
  { id, path, text, offset }: { id: string; path: Path; text: string; offset: number },
  wrong: string,
  meant: string,
): Fix {
  const before = text.indexOf(wrong) === offset ? '' : text.slice(0, offset);
  const place = { node: id, field: formatPath(path), find: before + wrong, replace: before + meant };
  return { kind: 'replace-text', title: `Write ${meant}`, ...place };
}
