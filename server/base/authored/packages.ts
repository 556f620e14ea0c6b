import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import type { PackageLimits } from '#engine';
import { type Package, type PackageProblem, PackageReach } from '#shared/package-api.ts';
import { findOperatorFiles, type OperatorFile } from './operator-files.ts';

/** An installed package: the description in its package.json, and the files of its operators, none of which was loaded. */
export interface FoundPackage
  extends Pick<Package, 'name' | 'version' | 'description' | 'homepage' | 'reach'> {
  /** The folder of the operators. */
  readonly folder: string;
  readonly files: readonly OperatorFile[];
  readonly problems: readonly PackageProblem[];
}

const FILE = 'package.json';
/** Texts of a package about itself are shown on one line. */
const line = z
  .string()
  .max(1000)
  .transform((text) => text.replaceAll(/\p{Cc}+/gu, ' '));

const Manifest = z.object({
  name: line,
  version: line,
  description: line.optional().catch(undefined),
  homepage: z
    .url({ protocol: /^https?$/ })
    .optional()
    .catch(undefined),
  weft: z.strictObject({
    operators: z.string().min(1).default('operators'),
    reach: PackageReach.prefault({}),
  }),
});

/** Reads the package in a folder. Its faults are among its problems. */
export async function findPackage(folder: string): Promise<FoundPackage> {
  const nothing = { reach: PackageReach.parse({}), folder, files: [] };
  const name = nameOf(folder);
  const refused = (code: PackageProblem['code'], message: string): FoundPackage => ({
    ...nothing,
    name,
    problems: [{ code, message }],
  });
  let text: string;
  try {
    text = await readFile(join(folder, FILE), 'utf8');
  } catch {
    return refused('package_missing', `${name} is not in ${dirname(folder)}: weft add installs it.`);
  }
  try {
    const { weft, ...facts } = Manifest.parse(JSON.parse(text));
    const operators = resolve(folder, weft.operators);
    if (!operators.startsWith(resolve(folder) + sep))
      return refused('package_invalid', `weft.operators of its ${FILE} leads out of the package.`);
    return { ...facts, reach: weft.reach, folder: operators, ...(await filesIn(operators)) };
  } catch (error) {
    // Faults in the description are a list, one to a line.
    const what = error instanceof z.ZodError ? `\n${z.prettifyError(error)}` : ` ${(error as Error).message}`;
    return refused('package_invalid', `Its ${FILE} describes no package of Weft:${what}`);
  }
}

async function filesIn(folder: string): Promise<Pick<FoundPackage, 'files' | 'problems'>> {
  const { files, problems } = await findOperatorFiles(folder);
  const isTyped = ({ file }: OperatorFile): boolean => file.endsWith('.ts');
  const none: PackageProblem = { code: 'package_invalid', message: 'It has no operators.' };
  return {
    files: files.filter((file) => !isTyped(file)),
    problems: [
      ...problems.map((problem) => ({ code: 'package_operator' as const, ...problem })),
      ...files.filter(isTyped).map(({ file }) => ({
        code: 'package_typescript' as const,
        file,
        message: 'Node does not run TypeScript from node_modules: a package has JavaScript files.',
      })),
      ...(files.length + problems.length === 0 ? [none] : []),
    ],
  };
}

/** `@scope/name` or `name`. */
function nameOf(folder: string): string {
  const scope = basename(dirname(folder));
  return scope.startsWith('@') ? `${scope}/${basename(folder)}` : basename(folder);
}

/** The limits that the server enforces for the operators of a package. */
export function limitsOf({ name, reach }: Pick<Package, 'name' | 'reach'>): PackageLimits {
  const services = [...reach.services, ...(reach.files ? (['files', 'folders'] as const) : [])];
  return { package: name, hosts: reach.hosts, connections: reach.connections, services };
}
