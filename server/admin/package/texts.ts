import { posix } from 'node:path';

/** Code, which has no links, or a link of a Markdown page to a file of the project, perhaps to a heading in it. */
const CODE_OR_LINK =
  /```[^]*?```|(?<tick>`+)[^`]+\k<tick>|(?<image>!?)\[(?<words>(?:[^[\]]|\[[^[\]]*\])*)\]\((?<target>[^()\s#]+)(?<heading>#[^()\s]*)?\)/g;

/**
 * A Markdown page for the package, whose sources are JavaScript and which lacks some files: a link to a module leads to its emitted
 * file, and one to a missing file becomes its text. `has` says whether the package has a path.
 */
export function linkedPage(page: string, text: string, has: (path: string) => boolean): string {
  return text.replaceAll(CODE_OR_LINK, (whole, ...found: unknown[]) => {
    const { image, words = '', target, heading = '' } = found.at(-1) as Record<string, string | undefined>;
    if (target === undefined || /^(?:[a-z]+:|\/)/.test(target)) return whole;
    const path = posix.join(posix.dirname(page), target);
    if (has(path)) return whole;
    const emitted = target.replace(/\.ts$/, '.js');
    if (has(posix.join(posix.dirname(page), emitted))) return `[${words}](${emitted}${heading})`;
    return image === '!' ? '' : words;
  });
}
