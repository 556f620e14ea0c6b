import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** A file with an operator of the user's. */
export interface OperatorFile {
  readonly path: string;
  /** Path below the folder. */
  readonly file: string;
  readonly type: string;
}

/** A fault of a file in a folder of operators. */
export interface FileProblem {
  /** Path below the folder. */
  readonly file: string;
  readonly message: string;
}

const OPERATOR_FILE = /^(?!_)(.+?)\.(?:ts|js|mjs)$/;
const NO_OPERATOR = /\.(?:test|spec|d)\.(?:ts|js|mjs)$/;
const HIDDEN = /^[._]|^node_modules$/;

/** The files in a folder that contain operators, by their path, and the problems of files whose path names none. */
export async function findOperatorFiles(
  folder: string,
): Promise<{ files: OperatorFile[]; problems: FileProblem[] }> {
  const files: OperatorFile[] = [];
  const problems: FileProblem[] = [];
  const list = async (place: string) => {
    try {
      return (await readdir(place, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      if (place !== folder || (error as NodeJS.ErrnoException).code !== 'ENOENT') {
        problems.push({
          file: relative(folder, place),
          message: `It cannot be read: ${(error as Error).message}`,
        });
      }
      return [];
    }
  };
  for (const group of await list(folder)) {
    if (HIDDEN.test(group.name)) continue;
    if (group.isFile()) {
      if (operatorName(group.name))
        problems.push({ file: group.name, message: 'It must be in a folder, which is its group.' });
      continue;
    }
    const place = join(folder, group.name);
    for (const { name: fileName } of await list(place)) {
      const name = operatorName(fileName);
      const file = join(group.name, fileName);
      if (name) files.push({ path: join(place, fileName), file, type: `${group.name}.${name}` });
    }
  }
  return { files, problems };
}

/** The name of the operator in a file, or undefined if the file contains none. */
function operatorName(file: string): string | undefined {
  return NO_OPERATOR.test(file) ? undefined : OPERATOR_FILE.exec(file)?.[1];
}
