import { posix } from 'node:path';

/** Code, which has no links, or a link of a Markdown page to a file of the project, perhaps to a heading in it. */
const CODE_OR_LINK = /```[^]*?```|(`+)[^`]+\1|(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\(([^()\s#]+)(#[^()\s]*)?\)/g;

/**
 * A Markdown page for the package, whose sources are JavaScript and which lacks some files: a link to a module leads to its emitted
 * file, and one to a missing file becomes its text. `has` says whether the package has a path.
 */
export function linkedPage(page: string, text: string, has: (path: string) => boolean): string {
  return text.replaceAll(
    CODE_OR_LINK,
    (whole, _, image: string, words: string, target?: string, heading = '') => {
      if (target === undefined || /^(?:[a-z]+:|\/)/.test(target)) return whole;
      const path = posix.join(posix.dirname(page), target);
      if (has(path)) return whole;
      if (has(path.replace(/\.ts$/, '.js'))) return `[${words}](${target.replace(/\.ts$/, '.js')}${heading})`;
      return image === '' ? words : '';
    },
  );
}
