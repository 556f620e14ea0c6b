import type { Fix } from '#shared/problem.ts';
import { formatPath, type Path } from '../../flow/field-path.ts';

/** A fix names a text to find, which is the first of its kind, so it takes in as much in front as it needs. */
export function replaceWord(
  { id, path, text, offset }: { id: string; path: Path; text: string; offset: number },
  wrong: string,
  meant: string,
): Fix {
  const before = text.indexOf(wrong) === offset ? '' : text.slice(0, offset);
  const place = { node: id, field: formatPath(path), find: before + wrong, replace: before + meant };
  return { kind: 'replace-text', title: `Write ${meant}`, ...place };
}
